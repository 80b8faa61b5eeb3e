import { expect, it } from "vitest";
import { killRounds } from "./kill-rounds.js";

it.each(["SQLite", "PostgreSQL"] as const)(
  "loses and doubles nothing over many rounds of killing, its store on %s",
  { timeout: 1_800_000 },
  async (engine) => {
    const seed = Date.now() >>> 0;
    await expect(killRounds(engine, 120, seed), `seed ${String(seed)}`).resolves.toBeUndefined();
  },
);
