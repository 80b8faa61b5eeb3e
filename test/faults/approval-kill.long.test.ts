import { withSeed } from "@steward/kernel/testing/seeded-random.js";
import { it } from "vitest";
import { approvalKillRounds } from "./approval-kill-rounds.js";

const ROUNDS = 100;

it.each(["SQLite", "PostgreSQL"] as const)(
  "runs each write once and only as it was approved over many rounds of killing, its store on %s",
  { timeout: 1_800_000 },
  async (engine) => {
    await withSeed((seed) => approvalKillRounds(engine, ROUNDS, seed));
  },
);
