import { it } from "vitest";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";
import { stateKillRounds } from "../../testing/state-kill-rounds.js";
import { postgresKillPlace } from "../testing/state-kill-place.js";

it("keeps every tree that a ref leads to complete when its nodes are killed at random", async () => {
  await using place = await postgresKillPlace();
  await withSeed((seed) => stateKillRounds(place, 3, seed));
});
