import type { Script } from "../ports.js";
import { PostgresLocks } from "../postgres/locks/statement-locks.js";
import { isPostgres, type Schema } from "../model/schema.js";
import { sqliteLocks } from "../sqlite/statement-locks.js";

/**
 * Table lock modes, the weakest first (PostgreSQL, "Explicit Locking", 13.3.1), and SQLite's
 * RESERVED: while a transaction holds it, no other transaction can write to the file.
 */
export const LOCK_MODES = [
  "ACCESS SHARE",
  "ROW SHARE",
  "ROW EXCLUSIVE",
  "SHARE UPDATE EXCLUSIVE",
  "SHARE",
  "SHARE ROW EXCLUSIVE",
  "EXCLUSIVE",
  "ACCESS EXCLUSIVE",
  "RESERVED",
] as const;

export type LockMode = (typeof LOCK_MODES)[number];

/** A lock that a statement takes, and what the statement does while it holds the lock. */
export interface TableLock {
  /** The table, as the statement names it: `public.orders`. */
  readonly table: string;
  readonly mode: LockMode;
  /** `instant`: changes the catalog only. `scan`: reads every row. `rewrite`: writes every row. */
  readonly holdsWhile: "instant" | "scan" | "rewrite";
}

/**
 * The locks of one statement of a script. In an atomic phase they are held until the end of the
 * phase.
 */
export interface StatementLocks {
  /** Index of the phase in the script. */
  readonly phase: number;
  readonly statement: string;
  readonly locks: readonly TableLock[];
}

/** The locks that each statement of a script takes, in the order of the script. */
export function scriptLocks(
  base: Schema,
  target: Schema,
  script: Script,
): readonly StatementLocks[] {
  const postgres =
    isPostgres(base) && isPostgres(target) ? new PostgresLocks(base, target) : undefined;
  return script.flatMap(({ statements }, phase) =>
    statements.map((statement) => ({
      phase,
      statement,
      locks: postgres?.of(statement) ?? sqliteLocks(statement),
    })),
  );
}
