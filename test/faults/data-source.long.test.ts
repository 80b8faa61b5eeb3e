import { expect, it } from "vitest";
import { dataSourceRounds } from "./data-source-rounds.js";

it(
  "loses and doubles no write on a data source over many rounds of trouble",
  { timeout: 1_800_000 },
  async () => {
    const seed = Date.now() >>> 0;
    await expect(dataSourceRounds(150, seed), `seed ${String(seed)}`).resolves.toBeUndefined();
  },
);
