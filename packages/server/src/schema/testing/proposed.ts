import type { Migration } from "../migration.js";
import type { Unchanged } from "../proposal.js";

/** The migration that was proposed, where there was something to do. */
export function proposed(outcome: Migration | Unchanged): Migration {
  if (outcome.status !== "unchanged") return outcome;
  throw new Error(`${outcome.database} has this schema already`);
}
