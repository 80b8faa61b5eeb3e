import { describe, expect, it } from "vitest";
import { faultRounds } from "@steward/schema/testing/fault-rounds.js";
import { openSqliteFaultPlace } from "./sqlite-fault-place.js";

describe("a migration of SQLite whose process is killed at any statement, while others write", () => {
  it("loses nothing unasked, touches nothing of others, and can be gone on with", async () => {
    const ends = await faultRounds({
      dialect: "sqlite",
      open: openSqliteFaultPlace,
      seeds: 2,
      statementStep: 12,
    });
    expect(ends.died).toBeGreaterThan(0);
  }, 120_000);
});
