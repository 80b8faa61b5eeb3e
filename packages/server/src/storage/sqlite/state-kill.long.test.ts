import { expect, it } from "vitest";
import { stateKillRounds } from "../testing/state-kill-rounds.js";
import { sqliteKillPlace } from "./testing/state-kill-place.js";

it("keeps trees complete over many rounds of killing", { timeout: 1_200_000 }, async () => {
  // A store of its own for every few rounds: all its history is checked in each.
  for (let store = 0; store < 10; store++) {
    const seed = Date.now() >>> 0;
    await using place = sqliteKillPlace();
    await expect(stateKillRounds(place, 8, seed), `seed ${seed}`).resolves.toBeUndefined();
  }
});
