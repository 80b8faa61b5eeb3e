import { expect, it } from "vitest";
import { killRounds } from "./kill-rounds.js";

it.each([
  ["SQLite", 12],
  ["PostgreSQL", 6],
] as const)(
  "loses and doubles nothing when the server is killed at random, its store on %s",
  { timeout: 240_000 },
  async (engine, rounds) => {
    const seed = Date.now() >>> 0;
    await expect(killRounds(engine, rounds, seed), `seed ${String(seed)}`).resolves.toBeUndefined();
  },
);
