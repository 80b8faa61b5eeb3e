import { expect, it } from "vitest";
import { killRounds } from "./kill-rounds.js";

it("loses and doubles nothing over many rounds of killing", { timeout: 1_200_000 }, async () => {
  const seed = Date.now() >>> 0;
  await expect(killRounds(120, seed), `seed ${String(seed)}`).resolves.toBeUndefined();
});
