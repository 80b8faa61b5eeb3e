import { describe, expect, it } from "vitest";
import { faultRounds } from "@steward/schema/testing/fault-rounds.js";
import { openSqliteFaultPlace } from "./sqlite-fault-place.js";

describe("a migration of SQLite whose process is killed at every statement, while others write", () => {
  it("loses nothing unasked, touches nothing of others, and can be gone on with", async () => {
    const ends = await faultRounds({
      dialect: "sqlite",
      open: openSqliteFaultPlace,
      seeds: 30,
      statementStep: 1,
    });
    process.stdout.write(`rounds: ${JSON.stringify(ends)}\n`);
    expect(ends.died).toBeGreaterThan(0);
    expect(ends.refused).toBeGreaterThan(0);
  });
});
