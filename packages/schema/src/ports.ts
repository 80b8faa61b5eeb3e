import type { AppError } from "@steward/kernel/errors.js";
import type { Dialect, Schema } from "./model/schema.js";
import type { Command } from "./model/commands.js";
import type { Definitions } from "./wanted/read-definitions.js";

/** Statements of a script that run together. */
export interface Phase {
  /**
   * Whether the statements run in one transaction. Otherwise each runs by itself, as CONCURRENTLY
   * demands.
   */
  readonly isAtomic: boolean;
  readonly statements: readonly string[];
  /** What each statement does, by the statement's index. Digests do not cover it. */
  readonly commands: readonly Command[];
  /** Checks of the existing rows, which run in the phase's transaction. */
  readonly checks?: readonly RowCheck[];
}

/**
 * A query that stops a script before a statement would silently change values. An earlier statement
 * holds the lock that keeps the result valid until the transaction ends.
 */
export interface RowCheck {
  /** Index of the statement that the check precedes. */
  readonly before: number;
  /** Path of the column: `public.orders.total`. */
  readonly object: string;
  /**
   * A phrase for messages, to be placed after the number of values: `of its values would change by
   * becoming integer`.
   */
  readonly consequence: string;
  /** A query for one row with the column `count`: the number of values that would change. */
  readonly count: string;
  /** A query for a few rows with the column `example`: `'007' → 7`. */
  readonly examples: string;
}

/** The phases that lead from one schema to another. */
export type Script = readonly Phase[];

/** A script as it is stored. Migrations stored by earlier versions have no commands. */
export type ScriptText = readonly (Omit<Phase, "commands"> & Partial<Pick<Phase, "commands">>)[];

/** Checks of the schema before and after a script. A check throws to stop the script. */
export interface Checks {
  /** Checks the schema before the first statement, under a lock that excludes other migrations. */
  readonly before: (draft: Schema) => Promise<void>;
  /** Called between two transactions of a script that has several. */
  readonly between?: () => Promise<void>;
  /**
   * Checks the schema after the last statement, before the commit where the script is one
   * transaction.
   */
  readonly after: (draft: Schema) => Promise<void>;
  /**
   * Native ids of the relations that the script alters or drops. After a run of one transaction,
   * only these and the relations it wrote need to be read again; all others are as before.
   */
  readonly concerned?: readonly string[];
  /**
   * Queries for rows that must not exist. They run in the first transaction, before its statements.
   */
  readonly rows?: readonly RowGuard[];
}

/** Stops a script when a table has rows that the script would lose. */
export interface RowGuard {
  /**
   * The table, qualified and quoted. It is locked, so that the result stays valid. Absent when the
   * object is no table.
   */
  readonly table?: string;
  /** A query that returns a row exactly when the script must not run. */
  readonly query: string;
  /** What the query found, as text: `the new table orders has rows`. */
  readonly finding: string;
}

/** The migration that a script belongs to, and the purpose of the script. */
export interface RunIdentity {
  readonly migrationId: string;
  readonly direction: "up" | "down";
  /**
   * `migrate`: the migration itself. `undo`: reverses the changes of a `migrate` run that was
   * interrupted.
   */
  readonly purpose: "migrate" | "undo";
  /** For an undo: how many units of the interrupted run had taken effect. Otherwise 0. */
  readonly undoneUnits: number;
}

/**
 * A run that has begun and not ended, as recorded by the journal in the database itself. A
 * transactional unit is journaled in the same transaction.
 */
export interface UnfinishedRun extends RunIdentity {
  /** SHA-256 of the script, in hexadecimal. Only exactly the same script may resume the run. */
  readonly digest: string;
  readonly unitsDone: number;
  readonly unitCount: number;
  /**
   * The index, qualified and quoted, that the next unit had begun to build outside a transaction,
   * or that the last unit had begun to drop.
   */
  readonly begunIndex: string | undefined;
  /** Native ids of the relations that the run has created. */
  readonly madeRelations: readonly string[];
  /** Whether a process is executing the run right now. */
  readonly isUnderWay: boolean;
  /**
   * What that process is doing: the progress of an index build, or the session that it waits for.
   */
  readonly activity?: string;
  /** The error that stopped the run. Undefined when its process died or is still executing it. */
  readonly error: string | undefined;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
}

/** How long a migration waits for locks before it gives up, in ms. */
export interface MigrationWaits {
  /** Wait for another migration of the same database. */
  readonly turnMs: number;
  /**
   * Wait for each lock of a transaction. Statements that request the table later queue behind this
   * wait.
   */
  readonly lockMs: number;
  /** Wait of CREATE INDEX CONCURRENTLY and DROP INDEX CONCURRENTLY for older transactions. */
  readonly indexMs: number;
}

export interface RunOrder {
  readonly identity: RunIdentity;
  /** Whether the caller accepts changed values; the script's row checks are skipped then. */
  readonly acceptDataLoss: boolean;
  /** The unfinished run to resume. The journal must still contain exactly this run. */
  readonly continues?: UnfinishedRun | undefined;
  /**
   * The unfinished run that an undo replaces in the journal, in the transaction of its first unit.
   */
  readonly replaces?: UnfinishedRun | undefined;
}

/** Result of a script: complete, or stopped after some of its units had taken effect. */
export type RunOutcome =
  | { readonly status: "done" }
  | { readonly status: "stopped"; readonly run: UnfinishedRun; readonly error: AppError };

/** A database whose schema is managed: introspected, and changed by proven scripts. */
export interface SchemaDatabase {
  /** Name of the data source. */
  readonly name: string;
  readonly dialect: Dialect;

  /**
   * Reads the schema, its objects not identified yet. Steward's own tables in the database are left
   * out.
   * @throws AppError `STORE_UNAVAILABLE` when the database cannot be reached.
   */
  introspect(): Promise<Schema>;

  /** Like {@link introspect}, after waiting for a migration in progress. */
  introspectSettled(): Promise<Schema>;

  /**
   * The run that was interrupted. Undefined when there is none, and always on an engine that runs a
   * script in one transaction.
   */
  unfinishedRun(): Promise<UnfinishedRun | undefined>;

  /**
   * Runs a script. A script of one atomic phase takes effect completely or not at all. In a script
   * of several phases, each unit is journaled when it takes effect, and stays in effect when a
   * later unit fails; the outcome says so. One script runs on a database at a time. While a run is
   * unfinished, only a script that resumes or undoes the run is accepted.
   * @throws when nothing has taken effect: the error of a check; AppError `STEP_FAILED` with the
   * statement that the database refused; `STATE_CONFLICT` for a lock time-out or an unfinished run.
   * `STORE_UNAVAILABLE` when the connection was lost: the journal says then what has taken effect.
   */
  apply(script: Script, checks: Checks, order: RunOrder): Promise<RunOutcome>;

  /** Deletes an unfinished run from the journal, and leaves the schema as it is. */
  forgetRun(run: UnfinishedRun): Promise<void>;

  /** Creates an empty database of the same engine, to try scripts in. */
  scratch(): Promise<ScratchDatabase>;
}

/** An empty database, which is dropped when it is disposed of. */
export interface ScratchDatabase extends AsyncDisposable {
  introspect(): Promise<Schema>;
  /** @throws AppError `INVALID_ARGUMENT` with the statement that the database refused. */
  run(script: ScriptText): Promise<void>;
  /**
   * Runs the definitions of a wanted schema.
   * @throws AppError `INVALID_ARGUMENT` with the position of the refused statement and how to
   * correct it; also for a role that does not exist on the server.
   */
  define(definitions: Definitions): Promise<void>;
}
