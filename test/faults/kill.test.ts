import { it } from "vitest";
import { killRounds } from "./kill-rounds.js";
import { withSeed } from "@steward/kernel/testing/seeded-random.js";

/** The first kill may come before anything was written; the second kills a server that recovers. */
const ROUNDS = 2;

it.each(["SQLite", "PostgreSQL"] as const)(
  "loses and doubles nothing when the server is killed at random, its store on %s",
  async (engine) => {
    await withSeed((seed) => killRounds(engine, ROUNDS, seed));
  },
);
