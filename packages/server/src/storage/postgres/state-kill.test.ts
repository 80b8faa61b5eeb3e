import { expect, it } from "vitest";
import { stateKillRounds } from "../testing/state-kill-rounds.js";
import { postgresKillPlace } from "./testing/state-kill-place.js";

it(
  "keeps every tree that a ref leads to complete when its nodes are killed at random",
  { timeout: 240_000 },
  async () => {
    const seed = Date.now() >>> 0;
    await using place = await postgresKillPlace();
    await expect(stateKillRounds(place, 3, seed), `seed ${seed}`).resolves.toBeUndefined();
  },
);
