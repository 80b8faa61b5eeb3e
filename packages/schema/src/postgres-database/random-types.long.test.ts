import { afterAll, beforeAll, expect, it } from "vitest";
import { tryRandomTypes } from "./testing/random-types.js";
import { type DatabasePair, openPair } from "./testing/transition.js";

let pair: DatabasePair;

beforeAll(async () => {
  pair = await openPair();
});
afterAll(() => pair[Symbol.asyncDispose]());

it("any change of types that use each other leads to the wanted schema, and back", async () => {
  expect(await tryRandomTypes(pair, { numRuns: 300 })).toBeGreaterThan(150);
});
