import { describe, it } from "vitest";
import { faultRounds } from "./testing/fault-rounds.js";

describe("a migration whose process dies at every statement, while others write", () => {
  it("loses nothing unasked, touches nothing of others, and can be gone on with", async () => {
    await faultRounds({ seeds: 6, statementStep: 1 });
  });
});
