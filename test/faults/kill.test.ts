import { it } from "vitest";
import { killRounds } from "./kill-rounds.js";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";

it.each([
  ["SQLite", 4],
  ["PostgreSQL", 3],
] as const)(
  "loses and doubles nothing when the server is killed at random, its store on %s",
  { timeout: 240_000 },
  async (engine, rounds) => {
    await withSeed((seed) => killRounds(engine, rounds, seed));
  },
);
