import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  EmbeddingError,
  HashProvider,
  ZeroProvider,
  type EmbeddingProvider,
} from "../embedding/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import { ENTRIES_PAGE_BYTES_MAX } from "./limits.js";
import { ExpiredEntries } from "./expired-entries.js";
import type { SearchRequest } from "./search-request.js";
import { MemoryRoom, reembedRoom, TestDirectory } from "./testing/memory-room.js";

const ORG = "11111111-1111-4111-8111-111111111111";
/** A signal that never aborts. */
const SIGNAL = new AbortController().signal;
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

/** The service on a real SQLite store, with a real search thread and hashed words for vectors. */
let directory: TestDirectory;
let room: MemoryRoom;

beforeEach(async () => {
  directory = new TestDirectory();
  room = await MemoryRoom.open(directory, new HashProvider(64));
});

afterEach(async () => {
  await room[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

describe("the state of memory", () => {
  it("tells how many entries there are without loading the index, and when that is loaded", async () => {
    await remember('{"note":"invoice"}');
    expect(await room.service.state(ORG)).toMatchObject({ entries: 1, quarantined: 0 });
    // It has not begun to load, else this would tell of its size sooner or later.
    expect(await room.index.stats(ORG)).toBeUndefined();
    await search({ query: "invoice" });
    expect(await room.index.stats(ORG)).toEqual({ entries: 1, quarantined: 0 });
    expect(await room.service.state(ORG)).toMatchObject({ entries: 1, quarantined: 0 });
  });
});

describe("a listing of long entries", () => {
  it("has pages that end within their bytes and lead through all entries", async () => {
    const long = "x".repeat(60_000);
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.unshift(await remember(`"${long}"`));
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
      const { entries, nextCursor } = await room.service.listEntries(
        { ...NOBODY, orgId: ORG },
        {},
        page,
        SIGNAL,
      );
      pages.push(entries.map(({ entryId }) => entryId));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(pages.flat().toSorted()).toEqual(ids.toSorted());
    const first = Math.floor(ENTRIES_PAGE_BYTES_MAX / long.length);
    expect(pages.map(({ length }) => length)).toEqual([first, 20 - first]);
  });
});

describe("searching memory", () => {
  it("finds what is most like the query, best first, with content as it was stored", async () => {
    const near = await remember('{"note":  "unpaid invoices of ACME"}');
    await remember('{"note":"warehouse opening hours"}');
    const results = await search({ query: '{"note":  "unpaid invoices of ACME"}' });
    expect(results[0]).toEqual({
      entryId: near,
      score: 1,
      content: '{"note":  "unpaid invoices of ACME"}',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      relatedCascadeTargets: [],
      ranks: { vector: 1 },
    });
    expect(results).toHaveLength(2);
    expect(results[1]?.score).toBeLessThan(0.5);
  });

  it("returns 10 results unless told otherwise, and brings top_k into 1 to 100 (Contract §8)", async () => {
    for (let number = 0; number < 12; number += 1) await remember(`{"note":"invoice ${number}"}`);
    expect(await search({ query: "invoice" })).toHaveLength(10);
    expect(await search({ query: "invoice", topK: -5 })).toHaveLength(1);
    expect(await search({ query: "invoice", topK: 0 })).toHaveLength(1);
    expect(await search({ query: "invoice", topK: 12 })).toHaveLength(12);
    expect(await search({ query: "invoice", topK: 1e9 })).toHaveLength(12);
  });

  it("returns only one organization's entries when asked to, in any case of its id", async () => {
    const mine = await remember('"note"', ORG);
    const others = await remember('"note"', OTHER_ORG);
    expect(await found({ query: "note", orgId: ORG })).toEqual([mine]);
    expect(await found({ query: "note", orgId: OTHER_ORG.toUpperCase() })).toEqual([others]);
    expect(await found({ query: "note", orgId: randomUUID() })).toEqual([]);
    expect(await found({ query: "note" })).toHaveLength(2);
  });

  it.each([
    [{ query: "" }, "query: must not be empty"],
    [{ query: "x".repeat(65_537) }, "query: must have at most 65536 bytes"],
    [{ query: "x", topK: 1.5 }, "top_k: must be an integer"],
    [{ query: "x", topK: NaN }, "top_k: must be an integer"],
    [{ query: "x", orgId: "acme" }, "org_id: must be a UUID"],
    [{ query: "x", scoreMin: 1.1 }, "min_score: must be a number from -1 to 1"],
    [
      { query: "x", filter: { content: { path: "tags", equals: 1 } } },
      "filter.content.path: must be a path such as $.output or $.tags[0]",
    ],
  ])("refuses a request that is not right and names the field", async (request, message) => {
    await expect(search(request)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message });
  });

  it("leaves out what scores too low or does not pass the filter, when asked to", async () => {
    const near = await remember('{"note":"unpaid invoices"}', ORG, "first");
    const far = await remember('{"note":"opening hours"}', ORG, "second");
    const query = "unpaid invoices";
    expect(await found({ query })).toEqual([near, far]);
    expect(await found({ query, scoreMin: 0.5 })).toEqual([near]);
    expect(await found({ query, filter: { sessionId: "second" } })).toEqual([far]);
    const content = { path: "$.note", equals: "opening hours" };
    expect(await found({ query, filter: { content } })).toEqual([far]);
  });

  it("ranks by words too in hybrid mode, and says why each result stands where it does", async () => {
    const exact = await remember('{"ticket":"ZX-4711"}');
    for (let number = 0; number < 5; number += 1) await remember(`{"ticket":"ZX-470${number}"}`);
    const [first] = await search({ query: "4711", mode: "hybrid" });
    expect(first).toMatchObject({ entryId: exact, ranks: { text: 1 } });
  });

  it("tells in the ranks nothing of entries that the caller may not have", async () => {
    // Hidden entries are best by words or by vector, also where they are not among the results, and
    // are many enough to push others out of both fused lists.
    const hidden: string[] = [];
    for (let number = 0; number < 120; number += 1) {
      hidden.push(
        await remember(`"secret unpaid invoice ${number % 7 === 0 ? "unpaid" : number}"`),
      );
      await remember(`"note ${number}: invoice of customer ${number % 9}, unpaid"`);
    }
    hidden.push(await remember('"secret unpaid"'), await remember('"secret unpaid unpaid unpaid"'));
    await room[Symbol.asyncDispose]();
    room = await MemoryRoom.open(directory, new HashProvider(64), () => ({ content }) => {
      const isHidden = content.includes("secret");
      return Promise.resolve(isHidden ? new AppError("POLICY_DENIED", "secret") : undefined);
    });
    const requests = [1, 3, 10, 100].map((topK): SearchRequest => {
      return { query: "unpaid invoice", mode: "hybrid", topK };
    });
    const shown = await Promise.all(requests.map(search));
    for (const entryId of hidden) await room.service.deleteEntry(ORG, entryId);
    expect(shown).toEqual(await Promise.all(requests.map(search)));
    expect(shown.map(({ length }) => length)).toEqual([1, 3, 10, 100]);
  });

  it("says why a query could not be embedded (Contract §7)", async () => {
    await reopen({
      embed: () => Promise.reject(new EmbeddingError("transport", "the service answered 503")),
      dimension: () => 64,
    });
    await expect(search({ query: "x" })).rejects.toMatchObject({
      code: "EMBEDDING_FAILED",
      message: "Embedding failed: the service answered 503",
    });
  });

  it("says why the stored embeddings could not be searched (Contract §7)", async () => {
    await room.index[Symbol.asyncDispose]();
    await expect(search({ query: "x" })).rejects.toMatchObject({
      code: "MEMORY_SEARCH_FAILED",
      message: "Failed to query embeddings: The memory index is not running now; try again",
    });
  });

  it("rejects with the signal's reason when the caller leaves", async () => {
    const reason = new Error("gone");
    const searching = room.service.search(NOBODY, { query: "x" }, AbortSignal.abort(reason));
    await expect(searching).rejects.toBe(reason);
  });

  it("returns the newest with the default provider, whose scores are all 0", async () => {
    await reopen(new ZeroProvider(64));
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      ids.push(await remember(`"${number}"`));
      // Entries of the same millisecond would be ordered by id.
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const results = await search({ query: "anything" });
    expect(results.map((result) => [result.entryId, result.score])).toEqual(
      ids.toReversed().map((id) => [id, 0]),
    );
  });

  it("finds after a restart what it found before", async () => {
    for (let number = 0; number < 20; number += 1) await remember(`{"note":"invoice ${number}"}`);
    const before = await search({ query: "invoice 7" });
    await reopen();
    expect(await search({ query: "invoice 7" })).toEqual(before);
  });
});

describe("entries", () => {
  it("are found by the very next search, and not after they are deleted", async () => {
    const entryId = await remember('"invoice"');
    expect(isUuid(entryId)).toBe(true);
    expect(await found({ query: "invoice" })).toEqual([entryId]);
    await room.service.deleteEntry(ORG, entryId);
    expect(await found({ query: "invoice" })).toEqual([]);
    await expect(
      room.service.getEntry({ ...NOBODY, orgId: ORG }, entryId, SIGNAL),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
    await reopen();
    expect(await found({ query: "invoice" })).toEqual([]);
  });

  it("of another organization are as good as none", async () => {
    const entryId = await remember('"invoice"');
    const { service } = room;
    await expect(
      service.getEntry({ ...NOBODY, orgId: OTHER_ORG }, entryId, SIGNAL),
    ).rejects.toThrow(/Unknown memory entry/);
    await expect(service.deleteEntry(OTHER_ORG, entryId)).rejects.toThrow(/Unknown memory entry/);
    expect(await service.deleteSession(OTHER_ORG, "s")).toBe(0);
    expect(await found({ query: "invoice" })).toEqual([entryId]);
  });

  it("of a session go together, and their number is told", async () => {
    for (let number = 0; number < 3; number += 1) await remember(`"invoice ${number}"`);
    const kept = await remember('"invoice"', ORG, "other");
    expect(await room.service.deleteSession(ORG, "s")).toBe(3);
    expect(await room.service.deleteSession(ORG, "s")).toBe(0);
    expect(await found({ query: "invoice" })).toEqual([kept]);
  });

  it("go when they are older than their organization keeps them", async () => {
    const mine = await remember('"invoice"');
    const others = await remember('"invoice"', OTHER_ORG);
    const { index, store } = room;
    const expired = new ExpiredEntries(store.memory, index);
    expect(await found({ query: "invoice" })).toHaveLength(2);
    expect(await expired.deleteEntries(ORG, { beforeMs: 0 }, 10)).toBe(0);
    expect(await expired.deleteEntries(ORG, { beforeMs: Date.now() + 1 }, 10)).toBe(1);
    expect(await found({ query: "invoice" })).toEqual([others]);
    await expect(
      room.service.getEntry({ ...NOBODY, orgId: ORG }, mine, SIGNAL),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it.each([
    [{ sessionId: "", content: "{}" }, /^session_id: /],
    [{ sessionId: "s".repeat(256), content: "{}" }, /^session_id: /],
    [{ sessionId: "s", content: "not JSON" }, /^content: must be JSON text/],
    [
      { sessionId: "s", content: `"${"x".repeat(65_536)}"` },
      /^content: must have at most 65536 bytes/,
    ],
  ])("that are not right are refused, with the field named", async (draft, message) => {
    await expect(room.service.addEntry(ORG, draft, anyone())).rejects.toThrow(message);
  });

  it("are asked for by a UUID", async () => {
    await expect(room.service.getEntry({ ...NOBODY, orgId: ORG }, "17", SIGNAL)).rejects.toThrow(
      "entry_id: must be a UUID",
    );
  });
});

describe("isolation", () => {
  it("never shows an organization another's entry, whatever happened before", async () => {
    const orgs = [ORG, OTHER_ORG];
    let dimension = 64;
    const action = fc.record({
      kind: fc.constantFrom(
        "add",
        "add",
        "delete",
        "deleteSession",
        "search",
        "restart",
        "reembed",
      ),
      org: fc.nat(1),
      number: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        const owners = new Map<string, string>();
        for (const { kind, org, number } of actions) {
          const orgId = orgs[org] ?? ORG;
          const sessionId = `s${number % 2}`;
          if (kind === "add") {
            owners.set(await remember(`{"invoice":${number}}`, orgId, sessionId), orgId);
          } else if (kind === "delete") {
            const entryId = [...owners.keys()][number];
            if (entryId === undefined || owners.get(entryId) !== orgId) continue;
            await room.service.deleteEntry(orgId, entryId);
            owners.delete(entryId);
          } else if (kind === "deleteSession") {
            const page = { limit: 200 };
            const listed = (
              await room.service.listEntries({ ...NOBODY, orgId }, { sessionId }, page, SIGNAL)
            ).entries;
            expect(await room.service.deleteSession(orgId, sessionId)).toBe(listed.length);
            for (const { entryId } of listed) owners.delete(entryId);
          } else if (kind === "search") {
            const ids = await found({ query: `invoice ${number}`, orgId, topK: 100 });
            const own = [...owners].filter(([, owner]) => owner === orgId).map(([id]) => id);
            expect(ids.toSorted()).toEqual(own.toSorted());
          } else if (kind === "reembed") {
            await room[Symbol.asyncDispose]();
            dimension = dimension === 64 ? 32 : 64;
            await reembedRoom(directory, new HashProvider(dimension));
            room = await MemoryRoom.open(directory, new HashProvider(dimension));
          } else {
            await reopen(new HashProvider(dimension));
          }
        }
        for (const orgId of orgs) {
          for (const sessionId of ["s0", "s1"]) await room.service.deleteSession(orgId, sessionId);
        }
      }),
      { numRuns: 8 },
    );
  });
});

async function reopen(provider: EmbeddingProvider = new HashProvider(64)): Promise<void> {
  await room[Symbol.asyncDispose]();
  room = await MemoryRoom.open(directory, provider);
}

async function remember(content: string, orgId = ORG, sessionId = "s"): Promise<string> {
  const entry = await room.service.addEntry(orgId, { sessionId, content }, anyone());
  return entry.entryId;
}

function search(request: SearchRequest): ReturnType<typeof room.service.search> {
  return room.service.search(NOBODY, request, anyone());
}

async function found(request: SearchRequest): Promise<readonly string[]> {
  return (await search(request)).map((result) => result.entryId);
}

/** A signal that never aborts. */
function anyone(): AbortSignal {
  return new AbortController().signal;
}
