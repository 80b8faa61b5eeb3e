import { it } from "vitest";
import { dataSourceRounds } from "./data-source-rounds.js";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";

it(
  "loses and doubles no write on a data source over many rounds of trouble",
  { timeout: 1_800_000 },
  async () => {
    await withSeed((seed) => dataSourceRounds(150, seed));
  },
);
