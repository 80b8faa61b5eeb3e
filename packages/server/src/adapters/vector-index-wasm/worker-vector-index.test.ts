import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Log } from "@steward/kernel/log.js";
import { silentLog } from "@steward/kernel/log.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { encodeVector, packCode, type IndexEntry } from "../../memory/index.js";
import { WorkerVectorIndex } from "./worker-vector-index.js";

/**
 * The tests use real threads. The source is a module in a data: URL that computes vectors from the
 * number at the end of an entry's id: entry n has the vector (1, n).
 */
let logged: string[];
let log: Log;
let index: WorkerVectorIndex;

beforeEach(() => {
  logged = [];
  log = {
    ...silentLog,
    info: (_fields, event) => logged.push(event),
    error: (_fields, event) => logged.push(event),
  };
});

afterEach(async () => {
  await index[Symbol.asyncDispose]();
});

describe("WorkerVectorIndex", () => {
  it("finds what the source held at the start and what was added since, and not what was removed", async () => {
    index = open({ initial: 3 });
    await found();
    await index.add([entry(7), entry(8)]);
    await index.remove([entryId(0), entryId(8)]);
    expect(await found()).toEqual([1, 2, 7]);
    expect(await index.stats()).toEqual({ entries: 3, quarantined: 0 });
    expect(logged).toContain("memory index loaded");
  });

  it("reads nothing before the first search", async () => {
    index = open({ initial: 3 });
    await index.add([entry(7)]);
    await index.remove([entryId(0)]);
    expect(logged).toEqual([]);
    expect(await found()).toEqual([0, 1, 2]);
  });

  it("loads in the background when it is told to, tells how far it is, and reads the store once", async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    index = open({ initial: 3, gate });
    expect(index.loading()).toBeUndefined();
    index.load();
    index.load();
    await expect.poll(() => index.loading()).toBe(3);
    expect(await index.stats()).toBeUndefined();
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    expect(await found()).toEqual([0, 1, 2]);
    expect(index.loading()).toBeUndefined();
    expect(logged).toEqual(["memory index loaded"]);
  });

  it("lets a search see what was added before it without waiting for that", async () => {
    index = open({ initial: 0 });
    await found();
    const adding = index.add([entry(1)]);
    expect(await found()).toEqual([1]);
    await adding;
  });

  it("answers many searches at once, each its own", async () => {
    index = open({ initial: 50 });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_search, number) =>
        index.search({ vector: Float32Array.of(1, number), limit: 1 }, anyone()),
      ),
    );
    expect(answers.map(([hit]) => hit?.entryId)).toEqual(answers.map((_hits, n) => entryId(n)));
  });

  it("refuses more searches than may wait", async () => {
    index = open({ initial: 1 });
    const searches = Array.from({ length: 1100 }, () =>
      index.search({ vector: Float32Array.of(1, 1), limit: 1 }, anyone()),
    );
    const results = await Promise.allSettled(searches);
    const refused = results.filter((result) => result.status === "rejected");
    // 16 searches are with the thread already.
    expect(refused).toHaveLength(84);
    expect(refused[0]).toMatchObject({ reason: { code: "OVERLOADED" } });
  });

  it("answers one organization before the searches that another one has waiting", async () => {
    index = open({ initial: 1, slowMs: 20 });
    const answered: string[] = [];
    const search = (orgId: string): Promise<unknown> =>
      index
        .search({ vector: Float32Array.of(1, 1), limit: 1, orgId }, anyone())
        .then(() => answered.push(orgId));
    const flood = Array.from({ length: 200 }, () => search(entry(0).orgId));
    const quiet = "bbbbbbbb-0000-4000-8000-000000000000";
    await Promise.all([...flood, search(quiet)]);
    // Two batches of 16 that were sent before this search's turn.
    expect(answered.indexOf(quiet)).toBeLessThan(48);
  });

  it("rejects with the signal's reason when the caller leaves, and works on", async () => {
    index = open({ initial: 2, slowMs: 200 });
    const leaving = new AbortController();
    const searches = Array.from({ length: 5 }, () =>
      index.search({ vector: Float32Array.of(1, 1), limit: 1 }, leaving.signal),
    );
    const reason = new Error("gone");
    leaving.abort(reason);
    for (const search of searches) await expect(search).rejects.toBe(reason);
    expect(await found()).toEqual([0, 1]);
  });

  it("says STORE_UNAVAILABLE when the source cannot be read", async () => {
    index = open({ initial: 2, failing: true });
    await expect(found()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it("starts again when its thread dies, and reads the store anew", async () => {
    index = open({ initial: 2 });
    expect(await found()).toEqual([0, 1]);
    const filter = { toolName: "ends the thread" };
    const dying = index.search({ vector: Float32Array.of(1, 0), limit: 1, filter }, anyone());
    await expect(dying).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(found()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await index.add([entry(9)]);
    await expect.poll(() => found().catch(() => "not yet")).toEqual([0, 1]);
    expect(logged).toContain("memory index stopped unexpectedly");
  });

  it("tells of a damaged vector and finds the rest", async () => {
    index = open({ initial: 3, damaged: 1 });
    expect(await found()).toEqual([0, 2]);
    expect(logged).toContain("a stored vector is damaged; search does not find its entry");
    expect(await index.stats()).toEqual({ entries: 2, quarantined: 1 });
    expect(index.quarantined()).toBe(1);
    await index.remove([entryId(1)]);
    expect(index.quarantined()).toBe(0);
  });

  it("has nobody wait for its size before it is loaded, and is not loaded for that", async () => {
    index = open({ initial: 1, loadMs: 60_000 });
    expect(await index.stats()).toBeUndefined();
    expect(logged).toEqual([]);
    void found().catch(() => undefined);
    expect(await index.stats()).toBeUndefined();
  });

  it("ends at once while it is still loading", async () => {
    index = open({ initial: 1, loadMs: 60_000 });
    const searching = expect(found()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    // Loading takes longer than the time limit of the test.
    await index[Symbol.asyncDispose]();
    await searching;
    await expect(found()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});

/** A signal that never aborts. */
function anyone(): AbortSignal {
  return new AbortController().signal;
}

/** Behaviour of the source. */
interface SourceOptions {
  /** Number of initial entries: 0, 1, … */
  readonly initial: number;
  /** The entry with a damaged vector. */
  readonly damaged?: number;
  /** Duration of reading vectors, in ms. */
  readonly slowMs?: number;
  /** Duration of loading, in ms. */
  readonly loadMs?: number;
  /** Loading goes on, after its entries, while this is 0. */
  readonly gate?: Int32Array;
  /** Whether reading vectors fails. */
  readonly failing?: boolean;
}

function open(options: SourceOptions): WorkerVectorIndex {
  const initial = Array.from({ length: options.initial }, (_entry, number) => entry(number));
  const source = { url: sourceModule, options: { ...options, initial } };
  return new WorkerVectorIndex({ dimension: 2, source }, log, silentTelemetry);
}

/** The module that the thread imports. */
const sourceModule = `data:text/javascript,${encodeURIComponent(`
  import { setTimeout as sleep } from "node:timers/promises";
  import { AppError } from ${JSON.stringify(import.meta.resolve("@steward/kernel/errors.js"))};
  export function openIndexSource(options) {
    const numberOf = (id) => Number.parseInt(id.slice(24), 16);
    return {
      async *entries() {
        await sleep(options.loadMs ?? 0);
        yield options.initial;
        if (options.gate) Atomics.wait(options.gate, 0, 0);
      },
      async vectors(ids) {
        await sleep(options.slowMs ?? 0);
        if (options.failing) throw new AppError("STORE_UNAVAILABLE", "The store cannot be read now");
        return ids.map((id) =>
          numberOf(id) === options.damaged ? Float32Array.of(NaN, 0) : Float32Array.of(1, numberOf(id)));
      },
      matching: () => process.exit(1),
      textMatches: () => [],
      close() {},
    };
  }
`)}`;

/** The numbers of all found entries, ascending. */
async function found(): Promise<readonly number[]> {
  const hits = await index.search({ vector: Float32Array.of(1, 1), limit: 100 }, anyone());
  return hits.map((hit) => Number.parseInt(hit.entryId.slice(24), 16)).sort((a, b) => a - b);
}

function entry(number: number): IndexEntry {
  return {
    orgId: "aaaaaaaa-0000-4000-8000-000000000000",
    entryId: entryId(number),
    createdAtMs: number,
    code: packCode(encodeVector(Float32Array.of(1, number))),
  };
}

function entryId(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
