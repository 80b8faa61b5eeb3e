import { afterAll, beforeAll, expect, it } from "vitest";
import { tryRandomChanges } from "./testing/kept-rows.js";
import { type DatabasePair, openPair } from "./testing/transition.js";

let pair: DatabasePair;

beforeAll(async () => {
  pair = await openPair();
});
afterAll(() => pair[Symbol.asyncDispose]());

it("no row of a PostgreSQL database is lost unasked, in many random migrations", async () => {
  expect(await tryRandomChanges(pair, { numRuns: 300 })).toBeGreaterThan(30);
});
