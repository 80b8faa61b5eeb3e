import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runStatement } from "../testing/run-statement.js";
import { openShop, type Shop } from "./testing/shop.js";

describe("a value as JSON", () => {
  let shop: Shop;

  beforeAll(async () => {
    shop = await openShop();
    await shop.database.query(`
      CREATE TYPE mood AS ENUM ('calm', 'a "b", {c}');
      CREATE DOMAIN positive AS int CHECK (value > 0);
      CREATE TABLE typed (m mood, ms mood[], p positive, ps positive[])`);
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
  });

  it.each([
    ["9007199254740991::int8", "9007199254740991"],
    ["9007199254740993::int8", '"9007199254740993"'],
    ["-5::smallint", "-5"],
    ["1.5::float8", "1.5"],
    ["1e300::float8", "1e+300"],
    ["0.1::float4", "0.1"],
    ["'NaN'::float8", '"NaN"'],
    ["'-Infinity'::float4", '"-Infinity"'],
    ["19.90::numeric", "19.90"],
    ["0.000001::numeric", "0.000001"],
    ["123456789.123456::numeric", "123456789.123456"],
    ["12345678901234567890.5::numeric", '"12345678901234567890.5"'],
    ["1e-400::numeric(1000, 400)", `"0.${"0".repeat(399)}1"`],
    ["-2.5e-310::numeric", `"-0.${"0".repeat(309)}25"`],
    ["2.5e-307::numeric", `0.${"0".repeat(306)}25`],
    ["0.000::numeric", "0.000"],
    ["'NaN'::numeric", '"NaN"'],
    ["true", "true"],
    ["NULL::int", "null"],
    ["'\\x00ff'::bytea", '"AP8="'],
    ["''::bytea", '""'],
    ["date '2026-02-28'", '"2026-02-28"'],
    ["timestamp '2026-02-28 12:00:00.5'", '"2026-02-28T12:00:00.5"'],
    ["timestamptz '2026-02-28 12:00+02'", '"2026-02-28T10:00:00Z"'],
    ["timestamptz '0044-03-15 12:00+00 BC'", '"0044-03-15T12:00:00Z BC"'],
    ["timestamptz 'infinity'", '"infinity"'],
    ["interval '1 day 2 hours'", '"1 day 02:00:00"'],
    ["'{\"a\": [1, 2.50]}'::json", '{"a": [1, 2.50]}'],
    ["'null'::jsonb", "null"],
    ["'\"x\"'::jsonb", '"x"'],
    ["'2b0c9d5e-0000-4000-8000-000000000000'::uuid", '"2b0c9d5e-0000-4000-8000-000000000000"'],
    ["ARRAY[1, 2, NULL]", "[1,2,null]"],
    ["ARRAY[9007199254740993]", '["9007199254740993"]'],
    ["ARRAY[[1, 2], [3, 4]]", "[[1,2],[3,4]]"],
    ["'[0:1]={7,8}'::int[]", "[7,8]"],
    ["'{}'::int[]", "[]"],
    [
      "ARRAY['a,b', 'say \"x\"', 'NULL', '', E'back\\\\slash', NULL]",
      '["a,b","say \\"x\\"","NULL","","back\\\\slash",null]',
    ],
    ["ARRAY['{\"a\": 1}'::jsonb]", '[{"a": 1}]'],
    ["ARRAY['\\x01'::bytea]", '["AQ=="]'],
    ["ARRAY[true, false]", "[true,false]"],
    ["ARRAY[timestamptz '2026-02-28 12:00Z']", '["2026-02-28T12:00:00Z"]'],
    ["int4range(1, 5)", '"[1,5)"'],
    ["(1, 'x')", '"(1,x)"'],
    ["'a \"b\", {c}'::mood", '"a \\"b\\", {c}"'],
    ["ARRAY['calm', 'a \"b\", {c}']::mood[]", '["calm","a \\"b\\", {c}"]'],
    ["5::positive", "5"],
    ["ARRAY[5, 6]::positive[]", "[5,6]"],
    ["E'line\\nbreak \\u00e9'", '"line\\nbreak é"'],
  ])("%s is %s", async (expression, expected) => {
    const { outputJson } = await runStatement(shop.target, `SELECT ${expression} AS v`);
    expect(outputJson).toBe(`[{"v":${expected}}]`);
    JSON.parse(outputJson);
  });
});
