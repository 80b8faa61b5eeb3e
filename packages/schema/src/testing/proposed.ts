import type { Migration } from "../migrations/migration.js";
import type { Unchanged } from "../migrations/proposal.js";

/** The proposed migration; fails when there was nothing to migrate. */
export function proposed(outcome: Migration | Unchanged): Migration {
  if (outcome.status !== "unchanged") return outcome;
  throw new Error(`${outcome.database} has this schema already`);
}
