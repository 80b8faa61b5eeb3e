import type { Dialect, Schema } from "./schema.js";
import type { Definitions } from "./wanted/read-definitions.js";

/** Statements that take effect together. */
export interface Phase {
  /** Whether they run in one transaction; otherwise each by itself, as CONCURRENTLY demands. */
  readonly isAtomic: boolean;
  readonly statements: readonly string[];
}

/** Everything that leads from one schema to another. */
export type Script = readonly Phase[];

/** What must hold of the schema around a script; a check throws to stop it. */
export interface Checks {
  /** Of the schema before the first statement, with nobody able to change it meanwhile. */
  readonly before: (draft: Schema) => void;
  /** Of the schema after the last statement, before it is committed where that can be. */
  readonly after: (draft: Schema) => void;
}

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

  /**
   * Runs a script. One atomic phase happens as a whole or not at all; of several, those before the
   * failing one stay. Only one script runs on a database at a time.
   * @throws what a check throws; AppError `STEP_FAILED` with the statement that the database refused.
   */
  apply(script: Script, checks: Checks): Promise<void>;

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
