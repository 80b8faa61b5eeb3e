import type { AppError } from "../kernel/errors.js";
import type { Dialect, Schema } from "./schema.js";
import type { Definitions } from "./wanted/read-definitions.js";

/** Statements that take effect together. */
export interface Phase {
  /** Whether they run in one transaction; otherwise each by itself, as CONCURRENTLY demands. */
  readonly isAtomic: boolean;
  readonly statements: readonly string[];
  /** Questions to the rows, which are asked in the phase's transaction; absent when there are none. */
  readonly checks?: readonly RowCheck[];
}

/**
 * A question that stops a script where a statement would change values unnoticed. A statement before it
 * holds the lock that keeps the answer true until the transaction ends.
 */
export interface RowCheck {
  /** Index of the statement that it is asked right before. */
  readonly before: number;
  /** What holds the values: `public.orders.total`. */
  readonly object: string;
  /** What would become of them, after their number: `of its values would change by becoming integer`. */
  readonly consequence: string;
  /** A query for one row with the column `count`: how many values would change. */
  readonly count: string;
  /** A query for a few rows with the column `example`: `'007' → 7`. */
  readonly examples: string;
}

/** Everything that leads from one schema to another. */
export type Script = readonly Phase[];

/** What must hold of the schema around a script; a check throws to stop it. */
export interface Checks {
  /** Of the schema before the first statement, with nobody able to migrate it meanwhile. */
  readonly before: (draft: Schema) => Promise<void>;
  /** Of the schema after the last statement, before it is committed where that can be. */
  readonly after: (draft: Schema) => Promise<void>;
  /**
   * Native ids of the relations that the script is to change or drop: a run of one transaction may read what it has
   * written and these, and take the rest as it was before.
   */
  readonly concerned?: readonly string[];
  /** Rows that must not be there, looked for in the first transaction, before its statements. */
  readonly rows?: readonly RowGuard[];
}

/** Stops a script where a table has rows that the script would lose. */
export interface RowGuard {
  /** The table, qualified and quoted, if it is one; it is locked so that the answer stays true. */
  readonly table?: string;
  /** A query that returns a row exactly when the script must not run. */
  readonly query: string;
  /** What is there, in words: `the new table orders has rows`. */
  readonly finding: string;
}

/** Which migration a script belongs to, and which of its scripts it is. */
export interface RunIdentity {
  readonly migrationId: string;
  readonly direction: "up" | "down";
  /** `migrate`: the way there. `undo`: the way back from where a `migrate` run stopped. */
  readonly purpose: "migrate" | "undo";
  /** Of an undo: how many units of the stopped run had taken effect. 0 otherwise. */
  readonly undoneUnits: number;
}

/**
 * A run that has begun and not ended, as the journal in the database itself has it. Each unit that takes
 * effect in a transaction is journaled in that very transaction.
 */
export interface UnfinishedRun extends RunIdentity {
  /** SHA-256 of the script, in hexadecimal: only the very same script may go on. */
  readonly digest: string;
  readonly unitsDone: number;
  readonly unitCount: number;
  /** The index, qualified and quoted, that the next unit had begun to make outside of a transaction. */
  readonly begunIndex: string | undefined;
  /** Native ids of the relations that the run has made. */
  readonly madeRelations: readonly string[];
  /** Whether some process is at it right now. */
  readonly isUnderWay: boolean;
  /** What that process is doing, in words: how far an index is, or for whom it waits. */
  readonly activity?: string;
  /** Why it stopped; undefined when its process died, or is at it still. */
  readonly error: string | undefined;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
}

/** How long a migration waits for others before it gives up, in ms. */
export interface MigrationWaits {
  /** For another migration of the same database. */
  readonly turnMs: number;
  /** For each lock of a transaction: whoever comes later waits behind it all that time. */
  readonly lockMs: number;
  /** For the transactions that an index, made while others write, must see the end of. */
  readonly indexMs: number;
}

/** How a script is to be run. */
export interface RunOrder {
  readonly identity: RunIdentity;
  /** Whether values may change: the script's own checks of the rows are not asked then. */
  readonly acceptDataLoss: boolean;
  /** The unfinished run that is gone on with; the journal must still say exactly this. */
  readonly continues?: UnfinishedRun | undefined;
  /** The unfinished run whose place an undo takes, in the transaction of its first unit. */
  readonly replaces?: UnfinishedRun | undefined;
}

/** How a script ended: whole, or stopped after something of it had taken effect. */
export type RunOutcome =
  | { readonly status: "done" }
  | { readonly status: "stopped"; readonly run: UnfinishedRun; readonly error: AppError };

/** A database whose schema is managed: read, and changed by scripts that were proven. */
export interface SchemaDatabase {
  /** The name of its data source. */
  readonly name: string;
  readonly dialect: Dialect;

  /**
   * The schema as it is, its objects not identified yet. What is ours in the database is left out.
   * @throws AppError `STORE_UNAVAILABLE` when it cannot be reached.
   */
  introspect(): Promise<Schema>;

  /** As {@link introspect}, after waiting for whoever migrates the database now. */
  introspectSettled(): Promise<Schema>;

  /**
   * The run that a process has left half way; undefined when there is none, as always on an engine
   * where a script is one transaction.
   */
  unfinishedRun(): Promise<UnfinishedRun | undefined>;

  /**
   * Runs a script. One atomic phase happens as a whole or not at all. Of several, each unit that has
   * taken effect is journaled, and stays when a later one fails: the outcome then says so. Only one
   * script runs on a database at a time, and none while a run is unfinished but what goes on with it.
   * @throws when nothing has taken effect: what a check throws; AppError `STEP_FAILED` with the
   * statement that the database refused; `STATE_CONFLICT` for a lock that was not to be had in time, or
   * an unfinished run. `STORE_UNAVAILABLE` when the connection was lost: the journal then knows more.
   */
  apply(script: Script, checks: Checks, order: RunOrder): Promise<RunOutcome>;

  /** Forgets an unfinished run, and leaves everything as it is. */
  forgetRun(run: UnfinishedRun): Promise<void>;

  /** A database of the same engine with nothing in it, to try scripts on. */
  scratch(): Promise<ScratchDatabase>;
}

/** An empty database, gone when it is disposed of. */
export interface ScratchDatabase extends AsyncDisposable {
  introspect(): Promise<Schema>;
  /** @throws AppError `INVALID_ARGUMENT` with the statement that the database refused. */
  run(script: Script): Promise<void>;
  /**
   * Runs the definitions of a schema that somebody wrote as SQL.
   * @throws AppError `INVALID_ARGUMENT` with the place of the statement that the database refused, and what
   * to do about it; also for a role that the server does not have.
   */
  define(definitions: Definitions): Promise<void>;
}
