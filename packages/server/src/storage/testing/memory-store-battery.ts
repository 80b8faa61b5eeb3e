import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { toolCallEntry, toolCallEntryId, type MemoryEntry } from "../../memory/entry.js";
import { embeddedEntry, indexEntry } from "../../memory/embedded-entry.js";
import type { IndexEntry, IndexSource, TextQuery } from "../../memory/index.js";
import { WORD_ENTRIES_MAX } from "../../memory/limits.js";
import type { MemoryStore } from "../../memory/ports.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { PlanEngine } from "../../plans/index.js";
import { recordToolCalls } from "./record-tool-calls.js";

/** An engine under test. */
export interface MemoryUnderTest extends AsyncDisposable {
  readonly memory: MemoryStore;
  readonly plans: PlanEngine;
  /** The source that a search index would read now. */
  openSource(): IndexSource;
  /** Number of vectors in the database, of all organizations and models. */
  vectorCount(): Promise<number>;
}

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const MODEL = { name: "hash", dimension: 2 };

/**
 * The required behaviour of every engine for memory. Within one test, each call of `open` opens the
 * same database, as a restarted process would.
 */
export function memoryStoreBattery(engine: string, open: () => Promise<MemoryUnderTest>): void {
  describe(`the memory store on ${engine}`, () => {
    let entries: readonly MemoryEntry[];
    beforeEach(() => {
      entries = [1, 2, 3].map((number) => entry(number));
    });

    it("gives back an entry's content as it was written, byte for byte", async () => {
      await using engineStore = await opened(open);
      const content = '{ "b":1.0,"a":"\\u00e9 é 🜚",\n "big":12345678901234567890 }';
      const odd = { ...entry(1), content };
      await engineStore.memory.addEntries([embedded(odd)]);
      expect(await engineStore.memory.findEntry(ORG, odd.entryId)).toEqual(odd);
    });

    it("shows entry, vector and code together, to the bit, and after a restart", async () => {
      {
        await using engineStore = await opened(open);
        await engineStore.memory.addEntries(entries.map(embedded));
      }
      await using engineStore = await opened(open);
      const source = engineStore.openSource();
      const loaded = await all(source);
      expect(loaded).toEqual(
        entries.map((each) => ({
          orgId: ORG,
          entryId: each.entryId,
          createdAtMs: each.createdAtMs,
          code: new Uint8Array(embedded(each).code),
        })),
      );
      const ids = [...entries.map((each) => each.entryId), randomUUID()];
      expect(await source.vectors(ids)).toEqual([...entries.map(vectorOf), undefined]);
      await source.close();
    });

    it("keeps nothing of a batch when one entry of it is there already", async () => {
      await using engineStore = await opened(open);
      const [first, second] = entries.map(embedded);
      if (first === undefined || second === undefined) return;
      await engineStore.memory.addEntries([first]);
      await expect(engineStore.memory.addEntries([second, first])).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
      });
      const found = await engineStore.memory.entriesById([second.entry.entryId]);
      expect(found.size).toBe(0);
    });

    it("shows an organization nothing of another's", async () => {
      await using engineStore = await opened(open);
      const other = { ...entry(4), orgId: OTHER_ORG };
      await engineStore.memory.addEntries([...entries, other].map(embedded));
      expect(await engineStore.memory.findEntry(ORG, other.entryId)).toBeUndefined();
      expect(await engineStore.memory.deleteEntry(ORG, other.entryId)).toBe(false);
      expect(await engineStore.memory.deleteSession(ORG, "nobody's", 10)).toEqual([]);
      const listed = await engineStore.memory.listEntries(OTHER_ORG, {}, { limit: 10 });
      expect(listed).toEqual([other]);
      expect(await engineStore.memory.countEntries(ORG)).toBe(entries.length);
      expect(await engineStore.memory.countEntries(OTHER_ORG)).toBe(1);
      const source = engineStore.openSource();
      expect(await source.matching({}, OTHER_ORG)).toEqual([other.entryId]);
      await source.close();
    });

    it("lists the newest first, by the page", async () => {
      await using engineStore = await opened(open);
      const [first, second, third] = entries;
      await engineStore.memory.addEntries(entries.map(embedded));
      const page = await engineStore.memory.listEntries(ORG, {}, { limit: 2 });
      expect(page).toEqual([third, second]);
      const after = page.at(-1);
      if (after === undefined) return;
      expect(await engineStore.memory.listEntries(ORG, {}, { limit: 2, after })).toEqual([first]);
    });

    it("filters by session, time, tool, intent and content", async () => {
      await using engineStore = await opened(open);
      const { memory } = engineStore;
      const call = { toolName: "sql.query", intent: "read_select" };
      const one = { ...entry(1), sessionId: "other" };
      const two = { ...entry(2), toolCall: call, content: '{"row_count":5,"ok":true,"note":null}' };
      const three = { ...entry(3), content: '{"row_count":"5","ok":1,"tags":["a","b"]}' };
      await memory.addEntries([one, two, three].map(embedded));
      const found = async (filter: Parameters<IndexSource["matching"]>[0]): Promise<number[]> => {
        const listed = await memory.listEntries(ORG, filter, { limit: 10 });
        const source = engineStore.openSource();
        const matching = await source.matching(filter, ORG);
        await source.close();
        expect(matching.toSorted()).toEqual(listed.map((each) => each.entryId).toSorted());
        return listed.map((each) => each.createdAtMs);
      };
      expect(await found({ sessionId: "other" })).toEqual([1]);
      expect(await found({ createdFromMs: 2 })).toEqual([3, 2]);
      expect(await found({ createdBeforeMs: 2 })).toEqual([1]);
      expect(await found({ toolName: "sql.query" })).toEqual([2]);
      expect(await found({ intent: "read_select", createdFromMs: 3 })).toEqual([]);
      expect(await found({ content: { path: "$.row_count", equals: 5 } })).toEqual([2]);
      expect(await found({ content: { path: "$.row_count", equals: "5" } })).toEqual([3]);
      expect(await found({ content: { path: "$.ok", equals: true } })).toEqual([2]);
      expect(await found({ content: { path: "$.note", equals: null } })).toEqual([2]);
      expect(await found({ content: { path: "$.tags[1]", equals: "b" } })).toEqual([3]);
    });

    it("finds entries by their words, within an organization and a filter", async () => {
      await using engineStore = await opened(open);
      const { memory } = engineStore;
      const [one, two, three] = ["unpaid invoice", "invoice invoice", "opening hours"].map(
        (note, index) => ({ ...entry(index + 1), content: JSON.stringify({ note }) }),
      );
      const other = { ...entry(4), orgId: OTHER_ORG, content: '"unpaid invoice"' };
      if (one === undefined || two === undefined || three === undefined) return;
      await memory.addEntries([one, two, three, other].map(embedded));
      const source = engineStore.openSource();
      const found = async (query: Partial<TextQuery>): Promise<readonly string[]> =>
        source.textMatches({ text: "unpaid invoices? (invoice)", limit: 10, orgId: ORG, ...query });
      expect(await found({})).toEqual([one.entryId, two.entryId]);
      expect(await found({ limit: 1 })).toEqual([one.entryId]);
      expect(await found({ filter: { createdFromMs: 2 } })).toEqual([two.entryId]);
      expect(await found({ text: 'NOT "hours* OR (' })).toEqual([three.entryId]);
      expect(await found({ text: "?!" })).toEqual([]);
      expect(await found({ orgId: OTHER_ORG })).toEqual([other.entryId]);
      await memory.deleteEntry(ORG, one.entryId);
      expect(await found({})).toEqual([two.entryId]);
      await source.close();
    });

    it("leaves out a word that too many entries have, unless there is no other", async () => {
      await using engineStore = await opened(open);
      const { memory } = engineStore;
      const notes = Array.from({ length: WORD_ENTRIES_MAX + 1 }, (_note, index) => ({
        ...entry(index + 1),
        content: JSON.stringify({ note: index < 2 ? "often seldom" : "often" }),
      }));
      await memory.addEntries(notes.map(embedded));
      const source = engineStore.openSource();
      const found = (text: string, orgId?: string): Promise<readonly string[]> =>
        Promise.resolve(source.textMatches({ text, limit: 2, ...(orgId && { orgId }) }));
      const [one, two] = notes.map(({ entryId }) => entryId);
      const newest = notes.map(({ entryId }) => entryId).slice(-2);
      for (const orgId of [ORG, undefined]) {
        expect(await found("often seldom", orgId)).toEqual([two, one]);
        expect(await found("often never", orgId)).toEqual(newest.toReversed());
      }
      await source.close();
    });

    it("deletes row, vector and code together, and counts truly", async () => {
      await using engineStore = await opened(open);
      const { memory } = engineStore;
      expect(await memory.hasEntries()).toBe(false);
      const other = { ...entry(4), sessionId: "other" };
      await memory.addEntries([...entries, other].map(embedded));
      expect(await memory.hasEntries()).toBe(true);
      const [first, second, third] = entries.map((each) => each.entryId);
      expect(await memory.deleteEntry(ORG, first ?? "")).toBe(true);
      expect(await memory.deleteEntry(ORG, first ?? "")).toBe(false);
      const deleted = [
        ...(await memory.deleteSession(ORG, "s", 1)),
        ...(await memory.deleteSession(ORG, "s", 10)),
      ];
      expect(deleted.toSorted()).toEqual([second, third].toSorted());
      expect(await memory.deleteSession(ORG, "s", 10)).toEqual([]);
      const source = engineStore.openSource();
      expect((await all(source)).map((each) => each.entryId)).toEqual([other.entryId]);
      expect(await source.vectors([first ?? ""])).toEqual([undefined]);
      await source.close();
    });

    it("stores a vector once for an organization, and deletes it with the last entry that has it", async () => {
      await using engineStore = await opened(open);
      const { memory } = engineStore;
      const zeros = (each: MemoryEntry) => embeddedEntry(each, Float32Array.of(0, 0));
      const [first, second, third] = entries.map((each) => each.entryId);
      const rest = [4, 5].map((number) => ({ ...entry(number), sessionId: "rest" }));
      const other = { ...entry(1), orgId: OTHER_ORG };
      await memory.addEntries([...entries, other].map(zeros));
      await memory.addEntries(rest.map(zeros));
      expect(await engineStore.vectorCount()).toBe(2);
      const source = engineStore.openSource();
      const read = await source.vectors([first ?? "", third ?? "", other.entryId]);
      expect(read).toEqual([1, 2, 3].map(() => Float32Array.of(0, 0)));
      expect((await all(source)).map(({ code }) => code)).toEqual(
        [...entries, other, ...rest].map((each) => zeros(each).code),
      );

      await memory.deleteEntry(ORG, second ?? "");
      await memory.deleteSession(ORG, "s", 10);
      expect(await source.vectors([rest[1]?.entryId ?? ""])).toEqual([Float32Array.of(0, 0)]);
      expect(await memory.deleteExpired(ORG, { beforeMs: 1000 }, 1)).toHaveLength(1);
      expect(await engineStore.vectorCount()).toBe(2);
      await memory.deleteExpired(ORG, { beforeMs: 1000 }, 1);
      expect(await engineStore.vectorCount()).toBe(1);
      await memory.deleteEntry(OTHER_ORG, other.entryId);
      expect(await engineStore.vectorCount()).toBe(0);
      await source.close();
    });

    it("has exactly the vectors of its entries after many came and went at the same time", async () => {
      await using engineStore = await opened(open);
      const left = new Map<string, Float32Array>();
      const workers = [1, 2, 3, 4].map((worker) => addAndDelete(engineStore.memory, worker, left));
      await Promise.all(workers);
      const source = engineStore.openSource();
      expect(await source.vectors([...left.keys()])).toEqual([...left.values()]);
      await source.close();
      expect(await engineStore.vectorCount()).toBe(new Set([...left.values()].map(String)).size);
    });

    it("deletes what is older than its organization keeps it, and nothing else", async () => {
      await using engineStore = await opened(open);
      const { memory } = engineStore;
      const other = { ...entry(1), orgId: OTHER_ORG };
      await memory.addEntries([...entries, other].map(embedded));
      const [first, second, third] = entries.map((each) => each.entryId);
      expect((await memory.deleteExpired(ORG, { beforeMs: 3 }, 1)).length).toBe(1);
      expect((await memory.deleteExpired(ORG, { beforeMs: 3 }, 10)).length).toBe(1);
      expect(await memory.deleteExpired(ORG, { beforeMs: 3 }, 10)).toEqual([]);
      const left = await memory.entriesById([first ?? "", second ?? "", third ?? ""]);
      expect([...left.keys()]).toEqual([third]);
      expect(await memory.findEntry(OTHER_ORG, other.entryId)).toEqual(other);
    });

    it("makes each tool call one entry, also when the process ends in between", async () => {
      const calls = [1, 2, 3].map((finishedAtMs) => ({ orgId: ORG, finishedAtMs }));
      let records: readonly ToolCallRecord[];
      {
        await using engineStore = await opened(open);
        records = await recordToolCalls(engineStore.plans, calls);
        const taken = await engineStore.memory.takeCalls(2);
        const wanted = records.slice(0, 2).map(toolCallEntry);
        expect(taken.calls).toMatchObject(
          wanted.map(({ entryId, content }) => ({ entryId, content })),
        );
        expect(await engineStore.memory.toolCalls.waiting()).toBe(3);
        const vectors = wanted.map((each) => embedded(each).vector);
        const added = await engineStore.memory.remember(taken, vectors);
        expect(added).toEqual(wanted.map((each) => indexEntry(embedded(each))));
      }
      await using engineStore = await opened(open);
      const rest = await engineStore.memory.toolCalls.take(10);
      expect(rest.calls).toEqual(records.slice(2));
      expect(await engineStore.memory.toolCalls.waiting()).toBe(1);
      expect(await engineStore.memory.toolCalls.waiting(ORG)).toBe(1);
      expect(await engineStore.memory.toolCalls.waiting(OTHER_ORG)).toBe(0);
      const listed = await engineStore.memory.listEntries(ORG, {}, { limit: 10 });
      expect(listed.map((each) => each.entryId)).toEqual(
        [records[1], records[0]].map((record) => record && toolCallEntryId(record)),
      );
    });

    it("refuses another model than the one whose vectors it has, and says what to do", async () => {
      await using engineStore = await opened(open);
      await engineStore.memory.useModel({ name: "zero", dimension: 3 });
      await engineStore.memory.useModel(MODEL);
      await engineStore.memory.addEntries(entries.map(embedded));
      await engineStore.memory.useModel(MODEL);
      const using = engineStore.memory.useModel({ name: "zero", dimension: 2 });
      await expect(using).rejects.toThrow(
        /come from hash with 2 components.*SERVICE_EMBEDDING_ settings back/,
      );
    });
  });
}

/** Batches that a worker adds and mostly deletes again. */
const ROUNDS = 8;

/**
 * Adds entries with few distinct vectors, and deletes all but the last, so that workers often add a
 * vector whose last entry another worker deletes.
 * @param left the remaining entries.
 */
async function addAndDelete(
  memory: MemoryStore,
  worker: number,
  left: Map<string, Float32Array>,
): Promise<void> {
  const sessionId = `session of ${worker}`;
  for (let round = 0; round < ROUNDS; round += 1) {
    const batch = [round % 3, (round + worker) % 3].map((number) => ({
      ...entry(number),
      sessionId,
    }));
    await memory.addEntries(batch.map(embedded));
    const kept = round === ROUNDS - 1 ? batch.slice(1) : [];
    for (const each of kept) left.set(each.entryId, vectorOf(each));
    if (kept.length === 0) await memory.deleteSession(ORG, sessionId, 10);
    else await memory.deleteEntry(ORG, batch[0]?.entryId ?? "");
  }
}

async function opened(open: () => Promise<MemoryUnderTest>): Promise<MemoryUnderTest> {
  const engineStore = await open();
  await engineStore.memory.useModel(MODEL);
  return engineStore;
}

async function all(source: IndexSource): Promise<readonly IndexEntry[]> {
  const entries: IndexEntry[] = [];
  for await (const page of source.entries()) entries.push(...page);
  return entries
    .map((each) => ({ ...each, code: new Uint8Array(each.code) }))
    .sort((a, b) => a.createdAtMs - b.createdAtMs);
}

/** An entry whose vector and time contain its number. */
function entry(number: number): MemoryEntry {
  return {
    orgId: ORG,
    entryId: randomUUID(),
    sessionId: "s",
    content: JSON.stringify({ number }),
    createdAtMs: number,
  };
}

function vectorOf(each: MemoryEntry): Float32Array {
  return Float32Array.of(each.createdAtMs, 0.1);
}

function embedded(each: MemoryEntry): ReturnType<typeof embeddedEntry> {
  return embeddedEntry(each, vectorOf(each));
}
