import { describe, expect, it } from "vitest";
import { faultRounds } from "../testing/fault-rounds.js";
import { openPostgresFaultPlace } from "./testing/postgres-fault-place.js";

/**
 * Each of some hundred rounds has new databases, and many wait for locks: six pairs took over half
 * an hour.
 */
const TIMEOUT_MS = 60 * 60_000;

describe("a migration of PostgreSQL whose process dies at every statement, while others write", () => {
  it(
    "loses nothing unasked, touches nothing of others, and can be gone on with",
    async () => {
      const ends = await faultRounds({
        dialect: "postgres",
        open: openPostgresFaultPlace,
        seeds: 3,
        statementStep: 1,
      });
      process.stdout.write(`rounds: ${JSON.stringify(ends)}\n`);
      expect(ends.died).toBeGreaterThan(0);
      expect(ends.refused).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
