import { describe, it } from "vitest";
import { seededRandom, withSeed } from "@steward/kernel/testing/seeded-random.js";
import { tamperTrials } from "./testing/tamper-trials.js";

describe("the verification of an export", () => {
  it("finds every change in 10 000 random trials", { timeout: 600_000 }, async () => {
    await withSeed((seed) => tamperTrials(seededRandom(seed), 10_000));
  });
});
