import { describe, expect, it } from "vitest";
import { faultRounds } from "../testing/fault-rounds.js";
import { openPostgresFaultPlace } from "./testing/postgres-fault-place.js";

describe("a migration of PostgreSQL whose process dies at any statement, while others write", () => {
  it("loses nothing unasked, touches nothing of others, and can be gone on with", async () => {
    const ends = await faultRounds({
      dialect: "postgres",
      open: openPostgresFaultPlace,
      seeds: 1,
      statementStep: 20,
    });
    expect(ends.died).toBeGreaterThan(0);
  }, 240_000);
});
