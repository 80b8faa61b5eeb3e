import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runTwoSteps } from "../testing/two-steps.js";
import { Shop } from "./testing/shop.js";

/** Values in one round: many are compared by one statement. */
const VALUES_MAX = 25;

/**
 * Step `a` selects values of random types; the next step compares what its placeholders stand for
 * with the same expressions, and their types with each other.
 */
describe("a value of SQLite between two steps", () => {
  let shop: Shop;

  beforeAll(() => {
    shop = new Shop();
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
  });

  const selecting = (values: readonly string[]) =>
    values.map((value) => `SELECT ${value} AS v`).join(" UNION ALL ");
  const checks = (values: readonly string[], placeholder: (index: number) => string) =>
    values.map((value, index) => {
      const bound = placeholder(index);
      return `${bound} IS ${value} AND typeof(${bound}) = typeof(${value}) AS same_${index}`;
    });
  const different = (row: object | undefined, values: readonly string[]) =>
    Object.values(row ?? {}).flatMap((same, index) => (same === 1 ? [] : [values[index]]));

  it("keeps its type and every bit as a scalar", async () => {
    await fc.assert(
      fc.asyncProperty(someValues, async (values) => {
        const template = `SELECT ${checks(values, (index) => `{{step.a.output[${index}].v}}`).join(", ")}`;
        const [row] = await runTwoSteps(shop.target, selecting(values), template);
        expect(different(row, values)).toEqual([]);
      }),
      { numRuns: 30, examples: [[["0", "9e999"]]] },
    );
  });

  it("is found by IN in a list, and nothing of another type is", async () => {
    await fc.assert(
      fc.asyncProperty(someValues, async (values) => {
        const list = "{{step.a.output[*].v}}";
        const template = `WITH candidate(v) AS (${selecting(values)})
          SELECT sum(v NOT IN (${list})) AS missing,
            sum(typeof(v) <> 'text' AND CAST(v AS TEXT) || '!' IN (${list})) AS texts
          FROM candidate WHERE v IS NOT NULL AND NOT EXISTS (SELECT 1 FROM candidate WHERE v IS NULL)`;
        const rows = await runTwoSteps(shop.target, selecting(values), template);
        expect([
          { missing: 0, texts: 0 },
          { missing: null, texts: null },
        ]).toContainEqual(rows[0]);
      }),
      { numRuns: 30 },
    );
  });

  it("keeps its type in the JSON of a whole output, where a blob is hexadecimal", async () => {
    await fc.assert(
      fc.asyncProperty(someValues, async (values) => {
        const place = (index: number) =>
          values[index]?.startsWith("x'") === true
            ? `unhex({{step.a.output}} ->> '$[${index}].v')`
            : `({{step.a.output}} ->> '$[${index}].v')`;
        const template = `SELECT ${checks(values, place).join(", ")}`;
        const [row] = await runTwoSteps(shop.target, selecting(values), template);
        expect(different(row, values)).toEqual([]);
      }),
      { numRuns: 30, examples: [[["0", "9e999"]]] },
    );
  });

  it.each([
    ["an average that is whole", "avg(v)", "SELECT 4 AS v", "{{step.a.output[0].r}} / 8", 0.5],
    [
      "an id beyond 2^53",
      "v",
      "SELECT 9007199254740993 AS v",
      "{{step.a.output[0].r}} - 1",
      "9007199254740992",
    ],
    ["a count", "count(*)", "SELECT 1 AS v", "{{step.a.output[0].r}} / 2", 0],
  ])("computes on as the engine would: %s", async (_name, expression, from, computed, expected) => {
    const first = `SELECT ${expression} AS r FROM (${from})`;
    const rows = await runTwoSteps(shop.target, first, `SELECT ${computed} AS result`);
    expect(rows).toEqual([{ result: expected }]);
  });

  it("finds a row by its index", async () => {
    const template = `EXPLAIN QUERY PLAN SELECT name FROM users WHERE id = {{step.a.output[0].id}}`;
    const [row] = await runTwoSteps(shop.target, "SELECT 1 AS id", template);
    expect(row).toMatchObject({ detail: expect.stringContaining("SEARCH users USING INTEGER") });
  });
});

const integer = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }),
  fc.constantFrom(2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 53n) - 1n),
);
const real = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((whole) => `${whole}.0`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(realLiteral),
  fc.constantFrom("9e999", "-9e999", "1e300", "5e-324", "-0.0", "1e-17", "4294967296.0"),
);
const text = fc
  .string({ unit: fc.constantFrom("a", "'", '"', "\\", "\0", "é", "😀", "7", "\n", "{{", "?1") })
  .map((value) => `CAST(x'${Buffer.from(value).toString("hex")}' AS TEXT)`);
const blob = fc
  .uint8Array({ maxLength: 8 })
  .map((bytes) => `x'${Buffer.from(bytes).toString("hex")}'`);
const digits = integer.map((value) => `'${value}'`);
const value = fc.oneof(integer.map(String), real, text, blob, digits, fc.constant("NULL"));
const someValues = fc.array(value, { minLength: 1, maxLength: VALUES_MAX });

function realLiteral(number: number): string {
  const digits = Object.is(number, -0) ? "-0" : String(number);
  return /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}
