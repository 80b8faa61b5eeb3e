import { expect, it } from "vitest";
import { tryRandomChanges } from "./testing/kept-rows.js";
import { openPair } from "./testing/transition.js";

const pair = await openPair();

it("no row of a PostgreSQL database is lost unasked, in many random migrations", async () => {
  expect(await tryRandomChanges(pair, { numRuns: 300 })).toBeGreaterThan(30);
});
