import { describe, it } from "vitest";
import { faultRounds } from "./testing/fault-rounds.js";

describe("a migration whose process dies at any statement, while others write", () => {
  it("loses nothing unasked, touches nothing of others, and can be gone on with", async () => {
    await faultRounds({ seeds: 1, statementStep: 25 });
  }, 240_000);
});
