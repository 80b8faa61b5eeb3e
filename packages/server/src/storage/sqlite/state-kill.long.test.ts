import { expect, it } from "vitest";
import { stateKillRounds } from "../testing/state-kill-rounds.js";

it("keeps trees complete over many rounds of killing", { timeout: 1_200_000 }, async () => {
  const seed = Date.now() >>> 0;
  await expect(stateKillRounds(80, seed), `seed ${seed}`).resolves.toBeUndefined();
});
