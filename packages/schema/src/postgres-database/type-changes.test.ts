import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OWN_TYPES, retype } from "./testing/retyped-column.js";
import { anyRetyping, expectSameMeaning } from "./testing/retypings.js";
import { connect } from "./testing/transition.js";

/** Number of random changes; the long run tries every pair of types. */
const ROUNDS = 60;

/**
 * `kept`: the value stays the same. `asked`: accept_data_loss is required. `refused`: the server
 * refuses the value.
 */
type Result = "kept" | "asked" | "refused";

const CASES: readonly (readonly [from: string, to: string, value: string, result: Result])[] = [
  ["character varying(10)", "character varying(3)", "abcdef", "asked"],
  ["character varying(10)", "character varying(3)", "abc", "kept"],
  ["character varying(3)", "character varying(10)", "abc", "kept"],
  ["character varying(3)", "text", "abc", "kept"],
  ["text", "character varying(3)", "abcd", "asked"],
  ["text", "character varying(3)", "ab ", "kept"],
  ["text", "character(3)", "ab ", "asked"],
  ["text", "character(3)", "abcd", "asked"],
  ["character(5)", "character(3)", "ab", "kept"],
  ["character(5)", "character(3)", "abcde", "asked"],
  ["character(5)", "text", "ab", "kept"],
  ["numeric(10,2)", "numeric(10,1)", "1.25", "asked"],
  ["numeric(10,2)", "numeric(10,1)", "1.20", "kept"],
  ["numeric(10,2)", "numeric(4,2)", "123.45", "refused"],
  ["numeric(4,2)", "numeric(10,2)", "12.34", "kept"],
  ["numeric", "numeric(10,2)", "1.005", "asked"],
  ["numeric(10,2)", "integer", "1.50", "asked"],
  ["numeric(10,2)", "integer", "2.00", "kept"],
  ["numeric", "double precision", "0.1", "kept"],
  ["numeric", "double precision", "12345678901234567890.5", "asked"],
  ["double precision", "integer", "1.5", "asked"],
  ["double precision", "integer", "3", "kept"],
  ["double precision", "real", "0.1", "asked"],
  ["double precision", "real", "0.5", "kept"],
  ["double precision", "numeric", "0.30000000000000004", "asked"],
  ["double precision", "numeric(10,2)", "0.125", "asked"],
  ["double precision", "text", "0.30000000000000004", "kept"],
  ["double precision", "character varying(4)", "0.3000000004", "asked"],
  ["real", "double precision", "0.5", "kept"],
  ["integer", "bigint", "2147483647", "kept"],
  ["bigint", "integer", "2147483648", "refused"],
  ["bigint", "double precision", "9007199254740993", "asked"],
  ["bigint", "double precision", "9007199254740992", "kept"],
  ["bigint", "real", "9223372036854775807", "asked"],
  ["integer", "real", "16777217", "asked"],
  ["integer", "numeric(3,0)", "1234", "refused"],
  ["integer", "character varying(3)", "1234", "asked"],
  ["integer", "character varying(11)", "-2147483648", "kept"],
  ["integer", "boolean", "1", "kept"],
  ["integer", "boolean", "2", "refused"],
  ["boolean", "integer", "true", "kept"],
  ["timestamp without time zone", "date", "2024-01-02 03:04:05", "asked"],
  ["timestamp without time zone", "date", "2024-01-02 00:00:00", "kept"],
  [
    "timestamp without time zone",
    "timestamp(0) without time zone",
    "2024-01-02 03:04:05.6",
    "asked",
  ],
  [
    "timestamp(0) without time zone",
    "timestamp(3) without time zone",
    "2024-01-02 03:04:05",
    "kept",
  ],
  ["timestamp without time zone", "timestamp with time zone", "2024-01-02 03:04:05", "kept"],
  ["time without time zone", "time(0) without time zone", "03:04:05.6", "asked"],
  ["interval", "interval(0)", "1 day 00:00:01.5", "asked"],
  ["date", "timestamp without time zone", "2024-01-02", "kept"],
  ["date", "character varying(4)", "2024-01-02", "asked"],
  ["bit(4)", "bit(2)", "1010", "asked"],
  ["bit(4)", "bit(8)", "1010", "asked"],
  ["bit(4)", "bit varying(8)", "1010", "kept"],
  ["bit varying(8)", "bit varying(2)", "1010", "asked"],
  ["text", "integer", "007", "asked"],
  ["text", "integer", "7", "kept"],
  ["text", "integer", "seven", "refused"],
  ["text", "numeric", "1.50", "kept"],
  ["text", "numeric(10,1)", "1.50", "asked"],
  ["text", "boolean", "yes", "asked"],
  ["text", "boolean", "true", "kept"],
  ["text", "date", "2024-01-02 03:04:05", "asked"],
  ["text", "uuid", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "asked"],
  ["text", "uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "kept"],
  ["text", "jsonb", '{"a":1}', "asked"],
  ["text", "json", '{"a":1}', "kept"],
  ["json", "jsonb", '{"a": 1, "a": 2}', "asked"],
  ["jsonb", "json", '{"a": 1}', "kept"],
  ["text", "public.mood", "sad", "kept"],
  ["text", "public.mood", "calm", "refused"],
  ["public.mood", "text", "sad", "kept"],
  ["public.mood", "character varying(3)", "happy", "asked"],
  ["public.mood", "public.wide_mood", "happy", "kept"],
  ["public.wide_mood", "public.mood", "calm", "refused"],
  ["public.price", "public.rough", "1.25", "asked"],
  ["public.price", "public.rough", "1.20", "kept"],
  ["public.price", "numeric(6,2)", "1.25", "kept"],
  ["public.price", "integer", "1.25", "asked"],
  ["integer", "public.positive", "-1", "refused"],
  ["integer", "public.positive", "1", "kept"],
  ["numeric(6,2)[]", "numeric(6,1)[]", "{1.25,2}", "asked"],
  ["character varying(9)[]", "character varying(3)[]", "{abc,abcd}", "asked"],
  ["integer[]", "bigint[]", "{1,2}", "kept"],
  ["text[]", "integer[]", "{007}", "asked"],
  ["integer[]", "text", "{1,2}", "kept"],
  ["money", "numeric(12,2)", "1.25", "kept"],
  ["numeric", "money", "1.255", "asked"],
  ["bit(4)", "integer", "0101", "asked"],
  ["integer", "bit(4)", "5", "asked"],
  ["cidr", "inet", "10.0.0.0/8", "kept"],
  ["inet", "cidr", "10.0.0.1/8", "refused"],
];

describe("values of a column whose type changes", () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = await connect(database.url);
    await client.query(OWN_TYPES);
  });
  afterAll(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });

  it.each(CASES)("from %s to %s: %j is %s", async (from, to, value, result) => {
    const { refusal, message, before, after } = await retype(client, from, to, [value]);
    const code = { kept: undefined, asked: "APPROVAL_REQUIRED", refused: "STEP_FAILED" }[result];
    expect([refusal, message]).toEqual([code, expect.any(String)]);
    if (result !== "kept") expect(after).toEqual(before);
  });

  it.each([
    ["timestamp without time zone", "timestamp with time zone", "2024-01-02 03:04:05"],
    ["date", "timestamp with time zone", "2024-01-02"],
    ["time without time zone", "time with time zone", "03:04:05"],
  ])("from %s to %s are those of UTC, or asked for", async (from, to, value) => {
    expect(await retype(client, from, to, [value])).toMatchObject({ refusal: undefined });
    expect(await retype(client, from, to, [value], { timeZone: "Asia/Tokyo" })).toMatchObject({
      refusal: "APPROVAL_REQUIRED",
    });
  });

  it("are counted, and the first of them shown, when they would change", async () => {
    const values = ["007", "7", "0008", "9", "0010", "0011", "0012"];
    const { message } = await retype(client, "text", "integer", values);
    expect(message).toBe(
      "Data would be lost: public.t.v: 5 of its values would change when converted to integer: a value may be " +
        "written differently ('007' → 7, '0008' → 8, '0010' → 10): to accept the loss, set accept_data_loss",
    );
  });

  it("are not overlooked behind row security that is forced on the owner", async () => {
    const guarded = { isGuarded: true };
    expect(await retype(client, "text", "integer", ["007"], guarded)).toMatchObject({
      refusal: "APPROVAL_REQUIRED",
      after: ["007"],
    });
    expect(await retype(client, "text", "character varying(3)", ["7"], guarded)).toMatchObject({
      refusal: undefined,
      after: ["7"],
    });
    expect(await retype(client, "integer", "bigint", ["7"], guarded)).toMatchObject({
      refusal: undefined,
    });
  });

  it("never change unasked, whatever the types and the values", async () => {
    await fc.assert(
      fc.asyncProperty(anyRetyping, async ({ from, to, values, timeZone }) => {
        const retyped = await retype(client, from, to, values, { timeZone });
        expectSameMeaning(retyped, from, to);
      }),
      { numRuns: ROUNDS },
    );
  });
});
