import { it } from "vitest";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";
import { stateKillRounds } from "../../testing/state-kill-rounds.js";
import { sqliteKillPlace } from "../testing/state-kill-place.js";

it("keeps every tree that a ref leads to complete when it is killed at random", async () => {
  await using place = sqliteKillPlace();
  await withSeed((seed) => stateKillRounds(place, 5, seed));
});
