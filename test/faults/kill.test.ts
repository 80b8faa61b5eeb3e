import { expect, it } from "vitest";
import { killRounds } from "./kill-rounds.js";

it(
  "loses and doubles nothing when the server is killed at random",
  { timeout: 120_000 },
  async () => {
    const seed = Date.now() >>> 0;
    await expect(killRounds(12, seed), `seed ${String(seed)}`).resolves.toBeUndefined();
  },
);
