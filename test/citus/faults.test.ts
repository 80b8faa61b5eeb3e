import { freshDatabase } from "@steward/test-postgres";
import { describe, it } from "vitest";
import { clusterRounds } from "../faults/cluster-rounds.js";
import { killRounds } from "../faults/kill-rounds.js";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";

describe("a store that is distributed over a Citus cluster", () => {
  it("loses and doubles nothing when the server is killed", { timeout: 300_000 }, async () => {
    await withSeed((seed) => killRounds("PostgreSQL", 20, seed));
  });

  it(
    "loses and doubles nothing on two servers that are killed or cut off",
    { timeout: 300_000 },
    async () => {
      await using database = await freshDatabase();
      await withSeed((seed) => clusterRounds(20, seed, database));
    },
  );
});
