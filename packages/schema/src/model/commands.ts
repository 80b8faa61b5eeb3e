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

/**
 * The work of a statement on the rows of a table. `instant`: changes the catalog only. `scan`:
 * reads every row. `rewrite`: writes every row.
 */
export type Work = "instant" | "scan" | "rewrite";

/** A lock that a statement takes, and what the statement does while it holds the lock. */
export interface TableLock {
  /** The table, as the statement names it: `public.orders`. */
  readonly table: string;
  readonly mode: LockMode;
  readonly holdsWhile: Work;
}

/**
 * The commands of PostgreSQL scripts, each with the lock that it takes on the table or view that it
 * is about, according to the chapter on the command (PostgreSQL, "SQL Commands"). A command about
 * any other object, such as the rename of a type, takes no lock on a table.
 */
export const POSTGRES_COMMANDS = {
  add_column: "ACCESS EXCLUSIVE",
  drop_column: "ACCESS EXCLUSIVE",
  alter_column: "ACCESS EXCLUSIVE",
  alter_column_type: "ACCESS EXCLUSIVE",
  set_column_options: "SHARE UPDATE EXCLUSIVE",
  set_not_null: "ACCESS EXCLUSIVE",
  add_not_null: "ACCESS EXCLUSIVE",
  alter_identity: "ACCESS EXCLUSIVE",
  drop_identity: "ACCESS EXCLUSIVE",
  add_constraint: "ACCESS EXCLUSIVE",
  add_foreign_key: "SHARE ROW EXCLUSIVE",
  validate_constraint: "SHARE UPDATE EXCLUSIVE",
  drop_constraint: "ACCESS EXCLUSIVE",
  rename: "ACCESS EXCLUSIVE",
  set_schema: "ACCESS EXCLUSIVE",
  set_owner: "ACCESS EXCLUSIVE",
  set_persistence: "ACCESS EXCLUSIVE",
  set_access_method: "ACCESS EXCLUSIVE",
  set_options: "SHARE UPDATE EXCLUSIVE",
  set_cluster_index: "SHARE UPDATE EXCLUSIVE",
  set_replica_identity: "ACCESS EXCLUSIVE",
  set_row_security: "ACCESS EXCLUSIVE",
  set_row_type: "ACCESS EXCLUSIVE",
  set_trigger_state: "SHARE ROW EXCLUSIVE",
  set_rule_state: "ACCESS EXCLUSIVE",
  set_inheritance: "ACCESS EXCLUSIVE",
  attach_partition: "ACCESS EXCLUSIVE",
  detach_partition: "ACCESS EXCLUSIVE",
  alter_view: "ACCESS EXCLUSIVE",
  depend_on_extension: "ACCESS EXCLUSIVE",
  comment: "SHARE UPDATE EXCLUSIVE",
  alter_domain: "SHARE",
  alter_sequence: undefined,
  drop_attribute: undefined,
  alter: undefined,
  create_table: "ACCESS EXCLUSIVE",
  create_materialized_view: "ACCESS EXCLUSIVE",
  create_index: "SHARE",
  create_index_concurrently: "SHARE UPDATE EXCLUSIVE",
  create_trigger: "SHARE ROW EXCLUSIVE",
  create_policy: "ACCESS EXCLUSIVE",
  create_rule: "ACCESS EXCLUSIVE",
  create_statistics: "SHARE UPDATE EXCLUSIVE",
  create: undefined,
  drop_table: "ACCESS EXCLUSIVE",
  drop_foreign_table: "ACCESS EXCLUSIVE",
  drop_view: "ACCESS EXCLUSIVE",
  drop_materialized_view: "ACCESS EXCLUSIVE",
  drop_index: "ACCESS EXCLUSIVE",
  drop_index_concurrently: "SHARE UPDATE EXCLUSIVE",
  drop_trigger: "ACCESS EXCLUSIVE",
  drop_policy: "ACCESS EXCLUSIVE",
  drop_rule: "ACCESS EXCLUSIVE",
  drop_sequence: undefined,
  drop_extension: undefined,
  drop: undefined,
  lock_table: "ACCESS EXCLUSIVE",
  advance_sequence: "ACCESS SHARE",
  change_privileges: undefined,
  set_parameter: undefined,
} as const satisfies Readonly<Record<string, LockMode | undefined>>;

/** The commands of SQLite scripts. Every write to a table takes RESERVED on the whole file. */
export const SQLITE_COMMANDS = {
  add_column: "RESERVED",
  drop_column: "RESERVED",
  rename: "RESERVED",
  create_index: "RESERVED",
  create_table: undefined,
  create: undefined,
  copy_rows: "RESERVED",
  copy_counter: "RESERVED",
  clear_counter: undefined,
  drop_table: "RESERVED",
  drop: undefined,
  set_parameter: undefined,
} as const satisfies Readonly<Record<string, LockMode | undefined>>;

export type PostgresCommand = keyof typeof POSTGRES_COMMANDS;
export type SqliteCommand = keyof typeof SQLITE_COMMANDS;
export type CommandName = PostgresCommand | SqliteCommand;

/** The effect of a statement, as data. */
export type Command = AnyCommand | ConcurrentIndex;

/** The commands that must run outside of transactions. */
export type ConcurrentCommand = "create_index_concurrently" | "drop_index_concurrently";

interface AnyCommand {
  readonly command: Exclude<CommandName, ConcurrentCommand>;
  /** Path of the object that the statement is about: `public.orders.note`. */
  readonly object: string;
  readonly locks: readonly TableLock[];
}

/** CREATE INDEX CONCURRENTLY or DROP INDEX CONCURRENTLY. */
interface ConcurrentIndex extends Omit<AnyCommand, "command"> {
  readonly command: ConcurrentCommand;
  /** The index, qualified and quoted. */
  readonly index: string;
}

/** A statement of a script, and its effect. */
export interface Statement {
  readonly sql: string;
  readonly command: Command;
}
