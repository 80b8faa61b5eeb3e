import { expect, it } from "vitest";
import { clusterRounds } from "./cluster-rounds.js";

it(
  "loses and doubles nothing on two servers and their database over many rounds of trouble",
  { timeout: 1_800_000 },
  async () => {
    const seed = Date.now() >>> 0;
    await expect(clusterRounds(80, seed), `seed ${String(seed)}`).resolves.toBeUndefined();
  },
);
