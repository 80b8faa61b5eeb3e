import { expect, it } from "vitest";
import { dataSourceRounds } from "./data-source-rounds.js";

it(
  "loses and doubles no write on a data source that restarts and whose connections break",
  { timeout: 120_000 },
  async () => {
    const seed = Date.now() >>> 0;
    await expect(dataSourceRounds(8, seed), `seed ${String(seed)}`).resolves.toBeUndefined();
  },
);
