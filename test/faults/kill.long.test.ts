import { it } from "vitest";
import { killRounds } from "./kill-rounds.js";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";

it.each(["SQLite", "PostgreSQL"] as const)(
  "loses and doubles nothing over many rounds of killing, its store on %s",
  { timeout: 1_800_000 },
  async (engine) => {
    await withSeed((seed) => killRounds(engine, 250, seed));
  },
);
