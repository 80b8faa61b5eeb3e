import { withSeed } from "@steward/kernel/testing/seeded-random.js";
import { it } from "vitest";
import { approvalKillRounds } from "./approval-kill-rounds.js";

const ROUNDS = 2;

it.each(["SQLite", "PostgreSQL"] as const)(
  "runs each write once and only as it was approved when the server is killed at random, its store on %s",
  async (engine) => {
    await withSeed((seed) => approvalKillRounds(engine, ROUNDS, seed));
  },
);
