import { expect, it } from "vitest";
import { tryRandomTypes } from "./testing/random-types.js";
import { openPair } from "./testing/transition.js";

const pair = await openPair();

it("any change of types that use each other leads to the wanted schema, and back", async () => {
  expect(await tryRandomTypes(pair, { numRuns: 300 })).toBeGreaterThan(150);
});
