import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { ExactIndex } from "../exact-index.js";
import type { FilterKernel } from "../filter-kernel.js";
import { compareHits, type Hit } from "../top-k.js";
import { encodeVector, packCode } from "../vector-code.js";
import type { IndexEntry, IndexQuery, IndexSource, TextQuery } from "../../vector-index.js";

/** One stored entry of a test. */
export interface StoredEntry {
  readonly orgId: string;
  readonly entryId: string;
  readonly createdAtMs: number;
  readonly vector: Float32Array;
}

/** Holds the vectors of a test in insertion order. */
export class MapSource implements IndexSource {
  readonly stored: Map<string, StoredEntry> = new Map();
  /** Vectors read so far. */
  reads = 0;

  *entries(): Iterable<readonly IndexEntry[]> {
    yield [...this.stored.values()].map(indexEntry);
  }

  vectors(entryIds: readonly string[]): readonly (Float32Array | undefined)[] {
    this.reads += entryIds.length;
    return entryIds.map((entryId) => this.stored.get(entryId)?.vector);
  }

  /** The only filter of these tests: created at or after. */
  matching(filter: { readonly createdFromMs?: number }): readonly string[] {
    const from = filter.createdFromMs ?? 0;
    return [...this.stored.values()]
      .filter((entry) => entry.createdAtMs >= from)
      .map((entry) => entry.entryId);
  }

  /** Entries whose time is one of the numbers in the text, in the order of the text. */
  textMatches({ text, limit, orgId }: TextQuery): readonly string[] {
    const entries = [...this.stored.values()];
    return text
      .split(" ")
      .flatMap((time) => entries.filter((entry) => entry.createdAtMs === Number(time)))
      .filter((entry) => orgId === undefined || entry.orgId === orgId)
      .map((entry) => entry.entryId)
      .slice(0, limit);
  }

  close(): void {
    // There is nothing to close.
  }
}

/** The form of a stored entry for the index. */
export function indexEntry(entry: StoredEntry): IndexEntry {
  return { ...entry, code: packCode(encodeVector(entry.vector)) };
}

/** The contract taken literally: compares every stored vector, sorts, and cuts. */
export function naiveSearch(entries: Iterable<StoredEntry>, query: IndexQuery): readonly Hit[] {
  const hits: Hit[] = [];
  for (const { orgId, entryId, createdAtMs, vector } of entries) {
    const score = naiveCosine(query.vector, vector);
    const wanted =
      (query.orgId === undefined || query.orgId === orgId) &&
      createdAtMs >= (query.filter?.createdFromMs ?? 0) &&
      score >= (query.scoreMin ?? -1);
    if (wanted) hits.push({ entryId, createdAtMs, score });
  }
  return hits.sort(compareHits).slice(0, query.limit);
}

function naiveCosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  a.forEach((x, index) => {
    const y = b[index] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  });
  return aa === 0 || bb === 0 ? 0 : Math.max(-1, Math.min(1, dot / Math.sqrt(aa * bb)));
}

/** A vector of independent, nearly normal components. */
export function randomVector(dimension: number, random: () => number): Float32Array {
  return Float32Array.from(
    { length: dimension },
    () => random() + random() + random() + random() - 2,
  );
}

const ORGS = ["aaaaaaaa", "bbbbbbbb", "cccccccc"].map(
  (head) => `${head}-0000-4000-8000-000000000000`,
);

/** Entry ids whose order differs from that of their creation. */
function entryIdOf(number: number): string {
  const head = (Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return `${head}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** Numbers at the limits of float32. */
const component = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 2 ** -149, -(2 ** -149), 2 ** -126, 3.4028234663852886e38, 1e-30),
  fc.integer({ min: -3, max: 3 }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
);

/** Vectors that are hard for the filter, as named. */
function vectorOf(dimension: number): fc.Arbitrary<Float32Array> {
  const length = { minLength: dimension, maxLength: dimension };
  const small = fc.array(fc.integer({ min: -2, max: 2 }), length);
  const smooth = fc.integer().map((seed) => [...randomVector(dimension, seededRandom(seed))]);
  const outlier = fc
    .tuple(smooth, fc.nat(dimension - 1))
    .map(([values, at]) => values.map((value, index) => (index === at ? 1000 : value)));
  const oneHot = fc
    .nat(dimension - 1)
    .map((at) => values(dimension, (index) => (index === at ? 1 : 0)));
  const scaled = fc
    .tuple(small, fc.integer({ min: -148, max: 125 }))
    .map(([numbers, exponent]) => numbers.map((value) => value * 2 ** exponent));
  const edges = fc.array(component, length);
  const zero = fc.constant(values(dimension, () => 0));
  return fc
    .oneof(small, smooth, outlier, oneHot, scaled, edges, zero)
    .map((numbers) => Float32Array.from(numbers));
}

function values(length: number, value: (index: number) => number): number[] {
  return Array.from({ length }, (_value, index) => value(index));
}

/** Near-ties: vectors equal to another one, or different only in sign, in size or in one bit. */
const VARIANTS: readonly ((vector: Float32Array) => Float32Array)[] = [
  (vector) => vector,
  (vector) => vector.map((value) => -value),
  (vector) => vector.map((value) => value / 2),
  (vector) => {
    const bits = new Int32Array(vector.slice().buffer);
    bits[0] = (bits[0] ?? 0) ^ 1;
    const flipped = new Float32Array(bits.buffer);
    return flipped.every(Number.isFinite) ? flipped : vector;
  },
];

/** An operation on an index. */
type Action =
  | {
      readonly kind: "add";
      readonly org: number;
      readonly vector: number;
      readonly variant: number;
      readonly createdAtMs: number;
    }
  | { readonly kind: "remove"; readonly entry: number }
  | {
      readonly kind: "search";
      readonly org: number | undefined;
      readonly vector: number;
      readonly limit: number;
      readonly createdFromMs: number | undefined;
      readonly scoreMin: number | undefined;
    };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      org: fc.nat(2),
      vector: fc.nat(),
      variant: fc.nat(VARIANTS.length - 1),
      createdAtMs: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), entry: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("search" as const),
      org: fc.option(fc.nat(2), { nil: undefined }),
      vector: fc.nat(),
      limit: fc.integer({ min: 1, max: 12 }),
      createdFromMs: fc.option(fc.nat(3), { nil: undefined, freq: 4 }),
      scoreMin: fc.option(fc.constantFrom(-1, 0, 0.5, 1), { nil: undefined, freq: 4 }),
    }),
  },
);

const history = fc.constantFrom(1, 2, 3, 8, 13, 16, 33, 64).chain((dimension) =>
  fc.record({
    dimension: fc.constant(dimension),
    vectors: fc.array(vectorOf(dimension), { minLength: 1, maxLength: 8 }),
    actions: fc.array(action, { minLength: 1, maxLength: 120, size: "max" }),
  }),
);

/** The required behaviour of an index with any kernel. */
export function exactIndexBattery(
  name: string,
  kernelOf: (dimension: number) => FilterKernel,
): void {
  const newIndex = (dimension: number, source: IndexSource, damaged: string[] = []): ExactIndex =>
    new ExactIndex({
      dimension,
      kernel: kernelOf(dimension),
      source,
      onDamaged: (entryId) => damaged.push(entryId),
    });

  /** An index of `count` entries whose vectors `vectorAt` makes. */
  const filled = async (
    dimension: number,
    count: number,
    vectorAt: (number: number) => Float32Array,
  ): Promise<{ readonly index: ExactIndex; readonly source: MapSource }> => {
    const source = new MapSource();
    for (let number = 0; number < count; number += 1) {
      const entryId = entryIdOf(number);
      const orgId = ORGS[number % 3] ?? "";
      source.stored.set(entryId, { orgId, entryId, createdAtMs: number, vector: vectorAt(number) });
    }
    const index = newIndex(dimension, source);
    await index.load();
    return { index, source };
  };

  describe(`the exact index on the ${name} kernel`, () => {
    it("finds what the naive scan finds, in its order and to the bit, whatever happened before", async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ dimension, vectors, actions }) => {
          const source = new MapSource();
          const index = newIndex(dimension, source);
          const vector = (number: number): Float32Array =>
            vectors[number % vectors.length] ?? new Float32Array(dimension);
          let added = 0;
          let asked: IndexQuery[] = [];
          const answerAsked = async (): Promise<void> => {
            const answers = await Promise.all(asked.map((query) => index.search(query)));
            const stored = [...source.stored.values()];
            expect(answers).toEqual(asked.map((query) => naiveSearch(stored, query)));
            asked = [];
          };
          for (const step of actions) {
            // Consecutive searches run concurrently.
            if (step.kind !== "search") await answerAsked();
            if (step.kind === "add") {
              const entry = {
                orgId: ORGS[step.org] ?? "",
                entryId: entryIdOf(added),
                createdAtMs: step.createdAtMs,
                vector: VARIANTS[step.variant]?.(vector(step.vector)) ?? vector(step.vector),
              };
              added += 1;
              source.stored.set(entry.entryId, entry);
              await index.add([indexEntry(entry)]);
            } else if (step.kind === "remove") {
              const entryId = entryIdOf(step.entry % Math.max(1, added));
              source.stored.delete(entryId);
              index.remove([entryId]);
            } else {
              asked.push(queryOf(step, vector(step.vector)));
            }
          }
          await answerAsked();
          expect(index.stats().entries).toBe(source.stored.size);
        }),
        { numRuns: 150 },
      );
    });

    it.each([1, 768, 1536])(
      "finds what the naive scan finds in dimension %i",
      async (dimension) => {
        const random = seededRandom(dimension);
        const { index, source } = await filled(dimension, 700, () =>
          randomVector(dimension, random),
        );
        for (const limit of [1, 10, 100]) {
          for (const orgId of [undefined, ORGS[1]]) {
            const query = {
              vector: randomVector(dimension, random),
              limit,
              ...(orgId === undefined ? {} : { orgId }),
            };
            expect(await index.search(query)).toEqual(naiveSearch(source.stored.values(), query));
          }
        }
      },
    );

    it("reads few vectors, also when one component outweighs all others", async () => {
      const random = seededRandom(7);
      const { index, source } = await filled(768, 3000, () => {
        const vector = randomVector(768, random);
        vector[5] = 30;
        return vector;
      });
      const query = { vector: randomVector(768, random), limit: 10 };
      expect(await index.search(query)).toEqual(naiveSearch(source.stored.values(), query));
      expect(source.reads).toBeLessThan(100);
    });

    it("gives identical vectors exactly 1 and opposite ones exactly -1", async () => {
      const random = seededRandom(3);
      const vector = randomVector(768, random);
      const { index } = await filled(768, 2, (number) =>
        number === 0 ? vector : vector.map((v) => -v),
      );
      const hits = await index.search({ vector, limit: 10 });
      expect(hits.map((hit) => hit.score)).toEqual([1, -1]);
    });

    it("reads no vector for a query whose norm is 0", async () => {
      const { index, source } = await filled(4, 500, () => new Float32Array(4));
      const query = { vector: new Float32Array(4), limit: 10 };
      expect(await index.search(query)).toEqual(naiveSearch(source.stored.values(), query));
      expect(source.reads).toBe(0);
    });

    it("ranks by words too when there is a text, and keeps the scores exact", async () => {
      const random = seededRandom(5);
      const { index, source } = await filled(16, 300, () => randomVector(16, random));
      const vector = randomVector(16, random);
      const orgId = ORGS[0] ?? "";
      const naive = naiveSearch(source.stored.values(), { vector, limit: 300, orgId });
      const [first] = naive;
      const last = naive.at(-1);
      if (first === undefined || last === undefined) return;
      const text = `${last.createdAtMs} 1 ${first.createdAtMs}`;
      const hits = await index.search({ vector, limit: naive.length, orgId, text });
      expect(hits).toHaveLength(naive.length);
      expect(hits[0]).toEqual({
        ...first,
        ranks: { vector: 1, text: 2, fused: 1 / 61 + 1 / 62 },
      });
      // The other organization's entry 1 does not match; the last one is found only by its words.
      const rank = naive.length;
      expect(hits[1]).toEqual({
        ...last,
        ranks: { vector: rank, text: 1, fused: 1 / (60 + rank) + 1 / 61 },
      });
    });

    it("looks again when the store has lost an entry that it was not told of", async () => {
      const random = seededRandom(11);
      const { index, source } = await filled(16, 300, () => randomVector(16, random));
      const query = { vector: randomVector(16, random), limit: 10 };
      for (const { entryId } of await index.search(query)) source.stored.delete(entryId);
      expect(await index.search(query)).toEqual(naiveSearch(source.stored.values(), query));
    });

    it("gives each of many searches its own answer, though they look at the codes together", async () => {
      const random = seededRandom(13);
      const { index, source } = await filled(16, 3000, () => randomVector(16, random));
      const queries = Array.from({ length: 40 }, (_value, number): IndexQuery => {
        const orgId = ORGS[number % 4];
        const common = { vector: randomVector(16, random), limit: 1 + number };
        const filter = number % 5 === 0 ? { filter: { createdFromMs: 1000 } } : {};
        return { ...common, ...filter, ...(orgId === undefined ? {} : { orgId }) };
      });
      // Some searches find that an entry was deleted while others read it.
      for (const number of [0, 700, 1500, 2999]) source.stored.delete(entryIdOf(number));
      const answers = await Promise.all(queries.map((query) => index.search(query)));
      const stored = [...source.stored.values()];
      expect(answers).toEqual(queries.map((query) => naiveSearch(stored, query)));
    });

    it("leaves out a damaged vector, tells of it once, and finds the rest", async () => {
      const source = new MapSource();
      const damaged: string[] = [];
      const index = newIndex(2, source, damaged);
      const entries = [1, 2, 3].map((number) => ({
        orgId: ORGS[0] ?? "",
        entryId: entryIdOf(number),
        createdAtMs: number,
        vector: Float32Array.of(1, number),
      }));
      const [nan, short, whole] = entries;
      for (const entry of entries) source.stored.set(entry.entryId, entry);
      await index.load();
      if (nan === undefined || short === undefined || whole === undefined) return;
      source.stored.set(nan.entryId, { ...nan, vector: Float32Array.of(NaN, 1) });
      source.stored.set(short.entryId, { ...short, vector: Float32Array.of(1) });
      const query = { vector: Float32Array.of(1, 1), limit: 10 };
      for (const _round of [1, 2]) {
        const answers = await Promise.all([index.search(query), index.search(query)]);
        for (const hits of answers) {
          expect(hits.map((hit) => hit.entryId)).toEqual([whole.entryId]);
        }
      }
      expect(damaged.toSorted()).toEqual([nan.entryId, short.entryId].toSorted());
      expect(index.stats()).toEqual({ entries: 1, quarantined: 2 });
    });

    it("encodes a vector again whose stored code is damaged, and quarantines it if that fails too", async () => {
      const source = new MapSource();
      const damaged: string[] = [];
      const index = newIndex(2, source, damaged);
      const whole = {
        orgId: ORGS[0] ?? "",
        entryId: entryIdOf(1),
        createdAtMs: 1,
        vector: Float32Array.of(1, 2),
      };
      const broken = { ...whole, entryId: entryIdOf(2), vector: Float32Array.of(Infinity, 0) };
      for (const entry of [whole, broken]) {
        source.stored.set(entry.entryId, entry);
        await index.add([{ ...entry, code: new Uint8Array(3) }]);
      }
      const hits = await index.search({ vector: whole.vector, limit: 10 });
      expect(hits.map((hit) => [hit.entryId, hit.score])).toEqual([[whole.entryId, 1]]);
      expect(damaged).toEqual([broken.entryId]);
    });
  });
}

function queryOf(search: Action & { kind: "search" }, vector: Float32Array): IndexQuery {
  const { org, limit, createdFromMs, scoreMin } = search;
  const orgId = org === undefined ? undefined : ORGS[org];
  return {
    vector,
    limit,
    ...(orgId === undefined ? {} : { orgId }),
    ...(createdFromMs === undefined ? {} : { filter: { createdFromMs } }),
    ...(scoreMin === undefined ? {} : { scoreMin }),
  };
}
