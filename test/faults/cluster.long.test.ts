import { it } from "vitest";
import { clusterRounds } from "./cluster-rounds.js";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";

it(
  "loses and doubles nothing on two servers and their database over many rounds of trouble",
  { timeout: 1_800_000 },
  async () => {
    await withSeed((seed) => clusterRounds(80, seed));
  },
);
