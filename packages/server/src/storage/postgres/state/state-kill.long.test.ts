import { it } from "vitest";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";
import { stateKillRounds } from "../../testing/state-kill-rounds.js";
import { postgresKillPlace } from "../testing/state-kill-place.js";

it("keeps trees complete over many rounds of killing nodes", { timeout: 1_200_000 }, async () => {
  // A new store after every few rounds, because each round checks the whole history of its store.
  for (let store = 0; store < 10; store++) {
    await using place = await postgresKillPlace();
    await withSeed((seed) => stateKillRounds(place, 8, seed));
  }
});
