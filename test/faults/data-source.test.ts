import { it } from "vitest";
import { dataSourceRounds } from "./data-source-rounds.js";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";

it("loses and doubles no write on a data source that restarts and whose connections break", async () => {
  await withSeed((seed) => dataSourceRounds(8, seed));
});
