import { expect, it } from "vitest";
import { stateKillRounds } from "../testing/state-kill-rounds.js";
import { sqliteKillPlace } from "./testing/state-kill-place.js";

it(
  "keeps every tree that a ref leads to complete when it is killed at random",
  { timeout: 120_000 },
  async () => {
    const seed = Date.now() >>> 0;
    await using place = sqliteKillPlace();
    await expect(stateKillRounds(place, 5, seed), `seed ${seed}`).resolves.toBeUndefined();
  },
);
