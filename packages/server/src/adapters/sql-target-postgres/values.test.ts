import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Shop as SqliteShop } from "../sql-target-sqlite/testing/shop.js";
import { runTwoSteps } from "../testing/two-steps.js";
import { openShop, type Shop } from "./testing/shop.js";

/**
 * Step `a` selects values of every type; the next step compares what its placeholders stand for with
 * the same expressions, and their types with each other.
 */
describe("a value of PostgreSQL between two steps", () => {
  let shop: Shop;

  beforeAll(async () => {
    shop = await openShop();
    await shop.database.query(`
      CREATE TYPE mood AS ENUM ('calm', 'a "b", {c}');
      CREATE TYPE pair AS (n int, t text);
      CREATE DOMAIN payload AS bytea;
      CREATE SCHEMA "Odd one";
      CREATE TYPE "Odd one"."T" AS ENUM ('x', 'y')`);
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
  });

  const selecting = (values: readonly string[]) =>
    `SELECT ${values.map((value, index) => `${value} AS v${index}`).join(", ")}`;
  const different = (row: object | undefined, values: readonly string[]) =>
    Object.values(row ?? {}).flatMap((same, index) => (same === true ? [] : [values[index]]));

  it("keeps its type and every bit as a scalar", async () => {
    await fc.assert(
      fc.asyncProperty(oneOfEachType, async (values) => {
        const checks = values.map((value, index) => {
          const bound = `{{step.a.output[0].v${index}}}`;
          return `${sameAs(value, bound)} AND pg_typeof(${bound}) = pg_typeof(${value}) AS same_${index}`;
        });
        const template = `SELECT ${checks.join(", ")}`;
        const [row] = await runTwoSteps(shop.target, selecting(values), template);
        expect(different(row, values)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it("is found by IN in a list, and nothing else is", async () => {
    await fc.assert(
      fc.asyncProperty(oneOfEachType, async (all) => {
        const values = all.filter((value) => hasEquality(value) && !value.includes("["));
        const checks = values.map((value, index) => {
          const list = `{{step.a.output[*].v${index}}}`;
          const other = `(SELECT count(*) FROM (VALUES (${value}), (NULL)) AS c (v) WHERE v NOT IN (${list}))`;
          return `${value} IN (${list}) AND ${other} = 0 AS same_${index}`;
        });
        const template = `SELECT ${checks.join(", ")}`;
        const [row] = await runTwoSteps(shop.target, selecting(values), template);
        expect(different(row, values)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it("keeps its type in the JSON of a whole output", async () => {
    await fc.assert(
      fc.asyncProperty(oneOfEachType, async (all) => {
        // jsonb does not keep the text of json, and takes a null in it for NULL.
        const values = all.filter((value) => !/::json$|^'null'::jsonb$/.test(value));
        const columns = values.map((value, index) => `v${index} ${typeOf(value)}`);
        const template = `SELECT ${values.map((value, index) => `${sameAs(value, `v${index}`)} AS same_${index}`).join(", ")}
          FROM jsonb_to_recordset({{step.a.output}}) AS r (${columns.join(", ")})`;
        const [row] = await runTwoSteps(shop.target, selecting(values), template);
        expect(different(row, values)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it("has the JSON that PostgreSQL itself makes of it in a whole output", async () => {
    const values = [
      "9007199254740993::int8",
      "1.50::numeric",
      "'\\x00ff'::bytea",
      "'Infinity'::float8",
    ];
    const list = [...values, "ARRAY['\\x00ff'::bytea]", "12345678901234567890.10::numeric"];
    const checks = list.map(
      (value, index) =>
        `{{step.a.output}} #> '{0,v${index}}' = to_jsonb(${value}) AS same_${index}`,
    );
    const template = `SELECT ${checks.join(", ")}`;
    const [row] = await runTwoSteps(shop.target, selecting(list), template);
    expect(different(row, list)).toEqual([]);
  });

  it.each([
    ["text as a date", "'2026-02-28'::text", "date '2026-02-28' = {{v}}"],
    ["text where nothing says what it is", "'x'::text", "pg_typeof({{v}})::text = 'text'"],
    ["an integer that is compared with text", "7::int4", "'7'::text = {{v}}"],
    ["an integer as a smaller one", "7::int8", "left('abcdefgh', {{v}}) = 'abcdefg'"],
    ["a whole average", "avg(n)", "{{v}} / 8 = 0.5"],
    ["a boolean as a number", "true", "1 = {{v}}"],
    ["a number inside of json", "'{\"n\": 1.50}'::jsonb", "pg_typeof({{v.n}})::text = 'numeric'"],
    ["an element of an array", "ARRAY['\\x00'::bytea, '\\xff']", "{{v[1]}} = '\\xff'::bytea"],
    ["an element of several dimensions", "ARRAY[[1, 2], [3, 4]]", "{{v[1][0]}} = 3"],
    ["the elements of an array", "ARRAY[1, 2]", "2 IN ({{v[*]}})"],
    ["bytes inside a literal", "'\\x00ff'::bytea", "'{{v}}' = '\\x00ff'::bytea"],
    ["a null of json", "'null'::jsonb", "{{v}} = 'null'::jsonb"],
    [
      "a value of a domain, as what the domain is of",
      "'\\x00'::payload",
      "{{v}} = '\\x00'::payload",
    ],
    ["an array of a domain", "ARRAY['\\x00']::payload[]", "{{v[0]}} = '\\x00'::bytea"],
    ["NULL of a type", "NULL::int8", "{{v}} IS NULL AND pg_typeof({{v}})::text = 'bigint'"],
  ])("is read as what stands around it wants: %s", async (_name, value, check) => {
    const first = `SELECT ${value} AS v FROM (VALUES (4)) AS source (n)`;
    const template = `SELECT ${check.replaceAll(/\{\{v(.*?)\}\}/g, "{{step.a.output[0].v$1}}")} AS same`;
    expect(await runTwoSteps(shop.target, first, template)).toEqual([{ same: true }]);
  });

  it("says what was wrong first where no type fits", async () => {
    const template = "SELECT upper({{step.a.output[0].v}}, 1)";
    await expect(runTwoSteps(shop.target, "SELECT 1 AS v", template)).rejects.toThrow(
      "function upper(integer, integer) does not exist",
    );
  });

  it("goes from SQLite to PostgreSQL and back", async () => {
    await using sqlite = new SqliteShop();
    const there = "SELECT 9007199254740993 AS i, 4.0 AS r, -9e999 AS inf, x'00ff' AS b, 'x' AS t";
    const cell = (name: string) => `{{step.a.output[0].${name}}}`;
    const [on] = await runTwoSteps(
      sqlite.target,
      there,
      `SELECT ${cell("i")} = 9007199254740993 AND pg_typeof(${cell("i")})::text = 'bigint' AS i,
        ${cell("r")} / 8 = 0.5 AND pg_typeof(${cell("r")})::text = 'double precision' AS r,
        ${cell("inf")} = '-Infinity'::float8 AS inf, ${cell("b")} = '\\x00ff'::bytea AS b,
        '\\x00ff'::bytea IN ({{step.a.output[*].b}}) AS bs, ${cell("t")} = 'x' AS t`,
      shop.target,
    );
    expect(Object.values(on ?? {})).toEqual(Array(6).fill(true));
    const [back] = await runTwoSteps(
      shop.target,
      `SELECT 9007199254740993 AS i, 4::float8 AS r, '-Infinity'::float4 AS inf, '\\x00ff'::bytea AS b,
        1.50 AS d, true AS t, 123456789012345678::numeric AS n`,
      `SELECT ${cell("i")} = 9007199254740993 AS i, typeof(${cell("r")}) = 'real' AS r,
        ${cell("inf")} = -9e999 AS inf, ${cell("b")} = x'00ff' AS b, x'00ff' IN ({{step.a.output[*].b}}) AS bs,
        ${cell("d")} = 1.5 AS d, ${cell("t")} = 1 AS t, ${cell("n")} = 123456789012345678 AS n`,
      sqlite.target,
    );
    expect(Object.values(back ?? {})).toEqual(Array(8).fill(1));
  });
});

function sameAs(value: string, bound: string): string {
  return hasEquality(value)
    ? `${bound} IS NOT DISTINCT FROM ${value}`
    : `(${bound})::text IS NOT DISTINCT FROM (${value})::text`;
}

/** Whether the type of a value has an operator `=`. */
function hasEquality(value: string): boolean {
  return !/::(json|point)$/.test(value);
}

/** The type of a value that is written with one. */
function typeOf(value: string): string {
  return /::([^:]+)$/.exec(value)?.[1] ?? "text";
}

const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const typed = (values: fc.Arbitrary<string | number | bigint>, ...types: readonly string[]) =>
  types.map((type) => values.map((value) => `${literal(String(value))}::${type}`));

const small = fc.integer({ min: -32768, max: 32767 });
const integer = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const large = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, 2n ** 53n + 1n),
);
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, scale]) => {
    const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
    const point = text.length - scale;
    return `${digits < 0n ? "-" : ""}${text.slice(0, point)}${scale === 0 ? "" : `.${text.slice(point)}`}`;
  });
const float = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("NaN", "Infinity", "-Infinity", "4", "-0"),
);
const float4 = fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("NaN", "Infinity", "4"),
);
const text = fc.string({
  unit: fc.constantFrom("a", "'", '"', "\\", "{", "}", ",", " ", "é", "😀", "7", "\n"),
});
const hex = fc
  .uint8Array({ maxLength: 6 })
  .map((bytes) => `\\x${Buffer.from(bytes).toString("hex")}`);
const moment = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());
const jsonText = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom('{"b": 1.0,  "a": [1, 2.50]}', "null", '"x"', "9007199254740993"),
);
const arrayOf = (element: fc.Arbitrary<string | number>) =>
  fc.array(fc.option(element), { maxLength: 3 }).map((elements) => {
    const items = elements.map((item) =>
      item === null ? "NULL" : `"${String(item).replaceAll(/["\\]/g, "\\$&")}"`,
    );
    return `{${items.join(",")}}`;
  });

const oneOfEachType = fc.tuple(
  ...typed(small, "int2"),
  ...typed(integer, "int4"),
  ...typed(large, "int8"),
  ...typed(decimal, "numeric"),
  ...typed(fc.constantFrom("NaN", "Infinity", "1.50", "0.00"), "numeric"),
  ...typed(float, "float8"),
  ...typed(float4, "float4"),
  ...typed(text, "text", "varchar", "bpchar", "name"),
  ...typed(fc.constantFrom("t", "f"), "bool"),
  ...typed(hex, "bytea"),
  ...typed(moment, "timestamptz", "timestamp", "date"),
  ...typed(fc.constantFrom("infinity", "0044-03-15 12:00:00 BC"), "timestamptz", "timestamp"),
  ...typed(fc.constantFrom("12:00:00.5", "23:59:59"), "time", "timetz"),
  ...typed(fc.constantFrom("1 day 02:00", "-1 mon", "00:00:00.000001"), "interval"),
  ...typed(fc.uuid(), "uuid"),
  ...typed(jsonText, "jsonb", "json"),
  ...typed(fc.constantFrom("10.0.0.1/8", "::1"), "inet"),
  ...typed(fc.constantFrom("08:00:2b:01:02:03"), "macaddr"),
  ...typed(fc.constantFrom("101", ""), "varbit"),
  ...typed(fc.constantFrom("(1,2)", "(-0.5,1e10)"), "point"),
  ...typed(fc.constantFrom("[1,5)", "empty"), "int4range"),
  ...typed(fc.constantFrom("'a' 'b':1", ""), "tsvector"),
  ...typed(fc.constantFrom("calm", 'a "b", {c}'), "mood"),
  ...typed(fc.constantFrom("x", "y"), '"Odd one"."T"'),
  ...typed(fc.constantFrom('(1,"a b")', "(,)"), "pair"),
  ...typed(arrayOf(integer), "int4[]", "int8[]", "numeric[]", "text[]"),
  ...typed(arrayOf(text), "text[]", "varchar[]"),
  ...typed(arrayOf(hex), "bytea[]"),
  ...typed(arrayOf(moment), "timestamptz[]"),
  ...typed(arrayOf(fc.constantFrom("calm", 'a "b", {c}')), "mood[]"),
  ...typed(arrayOf(fc.constantFrom("t", "f")), "bool[]"),
  ...typed(fc.constantFrom("{{1,2},{3,4}}"), "int4[]"),
);
