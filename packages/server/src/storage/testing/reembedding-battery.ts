import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { CheckedProvider, EmbeddingError, HashProvider } from "../../embedding/index.js";
import { embeddedEntry } from "../../memory/embedded-entry.js";
import type { MemoryEntry } from "../../memory/entry.js";
import type { ReembeddingOptions } from "../../memory/reembedding.js";
import { reembed, type IndexSource, type ReembeddingProgress } from "../../memory/index.js";
import type { EmbeddingModel, MemoryStore, ReembeddingStore } from "../../memory/ports.js";

/** An engine under test. */
export interface ReembeddingUnderTest extends AsyncDisposable {
  readonly memory: MemoryStore;
  readonly reembedding: ReembeddingStore;
  /** The source that a search index would read, once the store has its model. */
  openSource(): IndexSource;
  /** Number of vectors in the database, of all organizations and models. */
  vectorCount(): Promise<number>;
  /** Runs a statement on the database. */
  execute(sql: string): Promise<void>;
}

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const OLD = new HashProvider(64);
const COUNT = 200;

/**
 * The required behaviour of every engine for re-embedding. Within one test, each call of `open`
 * opens the same database.
 */
export function reembeddingBattery(
  engine: string,
  open: () => Promise<ReembeddingUnderTest>,
): void {
  describe(`re-embedding on ${engine}`, () => {
    let entries: readonly MemoryEntry[];
    beforeEach(async () => {
      entries = Array.from({ length: COUNT }, (_, number) => invoice(number));
      await using store = await open();
      await store.memory.useModel(modelOf(OLD));
      await add(store.memory, entries, OLD);
    });

    it("changes every vector, and the store takes no other model afterwards", async () => {
      const provider = new CountingProvider();
      {
        await using store = await open();
        const progress = await reembedStore(store.reembedding, provider);
        expect(progress).toEqual({ done: COUNT, total: COUNT });
      }
      expect(provider.embedded).toBe(COUNT);
      await using store = await open();
      await expectVectors(store, entries, provider);
      expect(await store.vectorCount()).toBe(await distinctVectors(entries, provider));
      const refused = store.memory.useModel(modelOf(OLD));
      await expect(refused).rejects.toThrow(/come from test@32.*steward memory reembed/);
    });

    it("goes on where it was interrupted, and the old vectors are in use until it is done", async () => {
      const provider = new CountingProvider();
      const late = invoice(COUNT);
      {
        await using store = await open();
        provider.failAfter = 130;
        await expect(reembedStore(store.reembedding, provider)).rejects.toThrow("answered 503");
      }
      {
        await using store = await open();
        await expectVectors(store, entries, OLD);
        await add(store.memory, [late], OLD);
      }
      provider.failAfter = Infinity;
      provider.embedded = 0;
      await using store = await open();
      expect(await reembedStore(store.reembedding, provider)).toEqual({
        done: COUNT + 1,
        total: COUNT + 1,
      });
      expect(provider.embedded).toBe(COUNT + 1 - 128);
      await expectVectors(store, [...entries, late], provider);
    });

    it("passes over entries that cannot be read, tells of each once, and embeds them once they can", async () => {
      await using store = await open();
      const provider = new CountingProvider();
      const [first, second, ...others] = entries;
      const damaged = [first, second].map((entry) => entry?.entryId ?? "");
      const setSources = (value: string): Promise<void> =>
        store.execute(
          `UPDATE memory_entries SET tool_name = 't', intent = 'read_select', sources = ${value}
           WHERE entry_id IN (${damaged.map((id) => `'${id}'`).join(", ")})`,
        );
      await setSources(`'{"of":"a later version"'`);
      const told: string[] = [];
      const options = { onUnreadable: (entryId: string) => void told.push(entryId) };
      const progress = await reembedStore(store.reembedding, provider, options);
      expect(progress).toEqual({ done: COUNT - 2, total: COUNT });
      expect(told.toSorted()).toEqual(damaged.toSorted());
      await expectVectors(store, others, provider);
      await setSources("NULL");
      const again = await reembedStore(store.reembedding, provider, options);
      expect(again).toEqual({ done: COUNT, total: COUNT });
      expect(told).toHaveLength(2);
      await expectVectors(store, entries, provider);
    });

    it("has nothing to do the second time", async () => {
      await using store = await open();
      const provider = new CountingProvider();
      await reembedStore(store.reembedding, provider);
      provider.embedded = 0;
      const again = await reembedStore(store.reembedding, provider);
      expect(again).toEqual({ done: COUNT, total: COUNT });
      expect(provider.embedded).toBe(0);
    });

    it("loses nothing wherever it ends, and switches all at once", async () => {
      const provider = new CountingProvider();
      // Each round interrupts one step later: before and after each of the store's operations.
      for (let steps = 0; ; steps += 1) {
        await using store = await open();
        const done = await reembedStore(endingAfter(store.reembedding, steps), provider).then(
          () => true,
          (error: unknown) => error !== ENDED && Promise.reject(error as Error),
        );
        const current = await usable(store.memory, [modelOf(OLD), modelOf(provider)]);
        await expectVectors(store, entries, current === modelOf(OLD).name ? OLD : provider);
        if (!done) continue;
        expect(current).toBe(modelOf(provider).name);
        expect(steps).toBeGreaterThan(6);
        return;
      }
    });
  });
}

/** Hashed words with fewer components; can fail after a number of texts. */
export class CountingProvider extends HashProvider {
  embedded: number = 0;
  failAfter: number = Infinity;

  constructor(dimension = 32) {
    super(dimension);
  }

  override async embed(text: string): Promise<Float32Array> {
    if (this.embedded >= this.failAfter) throw new EmbeddingError("transport", "answered 503");
    this.embedded += 1;
    return super.embed(text);
  }
}

/** The model of a provider. */
export function modelOf(provider: HashProvider): EmbeddingModel {
  return { name: `test@${provider.dimension()}`, dimension: provider.dimension() };
}

/** Re-embeds a store with a provider's vectors. */
export function reembedStore(
  store: ReembeddingStore,
  provider: HashProvider,
  { onUnreadable = () => undefined }: Partial<Pick<ReembeddingOptions, "onUnreadable">> = {},
): Promise<ReembeddingProgress> {
  return reembed({
    store,
    provider: new CheckedProvider(provider, provider.dimension()),
    model: modelOf(provider),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onRefused: () => undefined,
    onUnreadable,
  });
}

/** Checks that every entry has its vector of the present provider, and that there are no others. */
export async function expectVectors(
  store: Pick<ReembeddingUnderTest, "memory" | "openSource">,
  entries: readonly MemoryEntry[],
  provider: HashProvider,
): Promise<void> {
  await store.memory.useModel(modelOf(provider));
  const source = store.openSource();
  const codes = new Map<string, Uint8Array>();
  for await (const page of source.entries()) {
    for (const { entryId, code } of page) codes.set(entryId, new Uint8Array(code));
  }
  const ids = entries.map(({ entryId }) => entryId);
  const vectors = await source.vectors(ids);
  await source.close();
  const expected = await Promise.all(entries.map((entry) => embedded(entry, provider)));
  expect(codes).toEqual(new Map(expected.map(({ entry, code }) => [entry.entryId, code])));
  expect(vectors).toEqual(expected.map(({ vector }) => vector));
  expect((await store.memory.entriesById(ids)).size).toBe(entries.length);
}

/** Adds entries like a server with this provider. */
export async function add(
  memory: MemoryStore,
  entries: readonly MemoryEntry[],
  provider: HashProvider,
): Promise<void> {
  await memory.addEntries(await Promise.all(entries.map((entry) => embedded(entry, provider))));
}

/** An entry of one of two organizations. */
export function invoice(number: number): MemoryEntry {
  return {
    orgId: number % 3 === 0 ? OTHER_ORG : ORG,
    entryId: randomUUID(),
    sessionId: "s",
    content: `"invoice ${number}"`,
    createdAtMs: number,
  };
}

/** An entry with its vector. */
export async function embedded(
  entry: MemoryEntry,
  provider: HashProvider,
): Promise<ReturnType<typeof embeddedEntry>> {
  return embeddedEntry(entry, await new HashProvider(provider.dimension()).embed(entry.content));
}

/** Number of distinct vectors of these entries, counted for each organization. */
async function distinctVectors(
  entries: readonly MemoryEntry[],
  provider: HashProvider,
): Promise<number> {
  const all = await Promise.all(entries.map((entry) => embedded(entry, provider)));
  return new Set(all.map(({ entry, vector }) => `${entry.orgId} ${String(vector)}`)).size;
}

/** The name of the model that the store accepts. */
async function usable(
  memory: MemoryStore,
  models: readonly EmbeddingModel[],
): Promise<string | undefined> {
  const taken: string[] = [];
  for (const model of models) {
    await memory.useModel(model).then(
      () => taken.push(model.name),
      () => undefined,
    );
  }
  expect(taken).toHaveLength(1);
  return taken[0];
}

/** The error that simulates the end of the process. */
const ENDED = new Error("killed");

/** A store whose process is killed before or after one of its operations. */
function endingAfter(store: ReembeddingStore, steps: number): ReembeddingStore {
  let left = steps;
  const step = (): void => {
    if (left === 0) throw ENDED;
    left -= 1;
  };
  return new Proxy(store, {
    get(target, name: keyof ReembeddingStore) {
      if (name === "entriesWithout") return target[name].bind(target);
      const method = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        step();
        const result = await method(...args);
        step();
        return result;
      };
    },
  });
}
