import { expect, it } from "vitest";
import { stateKillRounds } from "../testing/state-kill-rounds.js";

it(
  "keeps every tree that a ref leads to complete when it is killed at random",
  { timeout: 120_000 },
  async () => {
    const seed = Date.now() >>> 0;
    await expect(stateKillRounds(5, seed), `seed ${seed}`).resolves.toBeUndefined();
  },
);
