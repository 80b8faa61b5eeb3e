import { expect, it } from "vitest";
import { clusterRounds } from "./cluster-rounds.js";

it(
  "loses and doubles nothing on two servers that are killed, whose database restarts and is cut off",
  { timeout: 180_000 },
  async () => {
    const seed = Date.now() >>> 0;
    await expect(clusterRounds(8, seed), `seed ${String(seed)}`).resolves.toBeUndefined();
  },
);
