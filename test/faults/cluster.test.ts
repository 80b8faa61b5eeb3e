import { it } from "vitest";
import { clusterRounds } from "./cluster-rounds.js";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";

/** One of each kind, and one that is drawn. */
const ROUNDS = 4;

it("loses and doubles nothing on two servers that are killed, whose database restarts and is cut off", async () => {
  await withSeed((seed) => clusterRounds(ROUNDS, seed));
});
