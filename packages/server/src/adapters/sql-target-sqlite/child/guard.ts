import { constants, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Intent } from "../../../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import { isForbiddenFunction } from "../../sqlite-functions.js";
import { isOwnTable } from "../../own-tables.js";

/**
 * Makes SQLite itself refuse accesses that the declared intent does not cover. While SQLite
 * compiles a statement, it calls an authorizer for every table, column and function that the
 * statement touches, with views and triggers resolved. This happens when the statement is prepared,
 * again when the schema has changed since, and for statements that virtual tables run themselves.
 * The authorizer is also called for Steward's own statements; outside `watch` everything is
 * allowed.
 */
export class Guard {
  #watch: Watch | undefined;
  #denial: string | undefined;
  #consulted = false;

  constructor(db: DatabaseSyncInstance) {
    db.setAuthorizer((action, first, second, database, trigger) =>
      this.#decide({ action, first, second, database, trigger }),
    );
  }

  /** Starts to apply the intent of the agent's statement, until `relax`. */
  watch(watch: Watch): void {
    this.#watch = watch;
    this.#consulted = false;
  }

  /** Allows everything again, for Steward's own statements. */
  relax(): void {
    this.#watch = undefined;
    this.#denial = undefined;
  }

  /** The accesses refused since `watch`, as text for the agent. */
  get denial(): string | undefined {
    return this.#denial;
  }

  /**
   * Whether anything was compiled since `watch`. A prepared statement may have other columns now.
   */
  get consulted(): boolean {
    return this.#consulted;
  }

  #decide(access: AuthorizerCall): number {
    if (this.#watch === undefined) return constants.SQLITE_OK;
    this.#consulted = true;
    this.#watch.observe?.(access);
    const denial = denialOf(access, this.#watch);
    if (denial === undefined) return constants.SQLITE_OK;
    // ANALYZE of the whole database skips tables that it may not access.
    if (access.action === constants.SQLITE_ANALYZE) return constants.SQLITE_IGNORE;
    this.#denial ??= denial;
    return constants.SQLITE_DENY;
  }
}

/** The agent's statement to which the guard applies. */
export interface Watch {
  readonly intent: Intent;
  /** Whether it changes the schema: then SQLite itself reads the schema temp. */
  readonly changesSchema?: boolean;
  /**
   * While a statement runs, rows may only be changed by what was authorized when it was prepared,
   * and by virtual tables that write to their own shadow tables.
   */
  readonly phase: "preparing" | "running";
  /**
   * Shadow tables of virtual tables. In defensive mode SQLite lets only their virtual table write
   * to them. Some virtual tables prepare these writes as soon as they are opened, even for reading.
   */
  readonly shadowTables: ReadonlySet<string>;
  /** Called for every call of the authorizer. */
  readonly observe?: (access: AuthorizerCall) => void;
}

/** The arguments of an authorizer call; see https://sqlite.org/c3ref/c_alter_table.html */
export interface AuthorizerCall {
  readonly action: number;
  readonly first: string | null;
  readonly second: string | null;
  /** `main` or `temp`, where the access has a database. */
  readonly database: string | null;
  /** The trigger or view whose body is being compiled. */
  readonly trigger: string | null;
}

/** Kinds of row changes, with their severity. */
const CHANGES: ReadonlyMap<number, { readonly verb: string; readonly gravity: number }> = new Map([
  [constants.SQLITE_INSERT, { verb: "inserts into", gravity: 1 }],
  [constants.SQLITE_UPDATE, { verb: "updates", gravity: 2 }],
  [constants.SQLITE_DELETE, { verb: "deletes from", gravity: 3 }],
]);

/**
 * The most severe change that each intent covers. It includes the milder ones, because an upsert
 * also inserts, a REPLACE does all three, and foreign keys cascade updates and deletes. The
 * analyzer has checked that the statement as a whole has the intent's class.
 */
const GRAVITY_MAX: Readonly<Record<Intent, number>> = {
  read_select: 0,
  write_insert: 1,
  write_update: 2,
  write_delete: 3,
  admin: 3,
  cross_system_transaction: 3,
};

/**
 * Pragmas that may be read as table functions (`pragma_table_info('orders')`). They describe the
 * schema; `data_version` is needed by full-text indexes themselves, and `page_size` by R-trees.
 */
const READABLE_PRAGMAS: ReadonlySet<string> = new Set([
  "data_version",
  "foreign_key_list",
  "index_info",
  "index_list",
  "index_xinfo",
  "page_size",
  "table_info",
  "table_list",
  "table_xinfo",
]);

const SCHEMA_CHANGES: ReadonlySet<number> = new Set([
  constants.SQLITE_ALTER_TABLE,
  constants.SQLITE_ANALYZE,
  constants.SQLITE_CREATE_INDEX,
  constants.SQLITE_CREATE_TABLE,
  constants.SQLITE_CREATE_TRIGGER,
  constants.SQLITE_CREATE_VIEW,
  constants.SQLITE_CREATE_VTABLE,
  constants.SQLITE_DROP_INDEX,
  constants.SQLITE_DROP_TABLE,
  constants.SQLITE_DROP_TRIGGER,
  constants.SQLITE_DROP_VIEW,
  constants.SQLITE_DROP_VTABLE,
  constants.SQLITE_REINDEX,
]);

function denialOf(access: AuthorizerCall, watch: Watch): string | undefined {
  const own = [access.first ?? "", access.second ?? ""].find(isOwnTable);
  if (own !== undefined) {
    return `The table ${own.toLowerCase()} belongs to the service and cannot be used in a statement`;
  }
  if (readsPages(access)) {
    return "The table dbstat shows the pages of the service's own tables and cannot be used in a statement";
  }
  if (readsDataVersion(access) && watch.intent !== "read_select") {
    return "The table pragma_data_version is not allowed in a write: it tells what other connections have changed before";
  }
  // It has the triggers of a preview, which a statement must not be able to tell from a run.
  if (readsTemporary(access) && watch.changesSchema !== true) {
    return "The schema temp belongs to the service and cannot be used in a statement";
  }
  switch (access.action) {
    case constants.SQLITE_READ:
    case constants.SQLITE_SELECT:
    case constants.SQLITE_RECURSIVE:
      return undefined;
    case constants.SQLITE_FUNCTION:
      return functionDenial(access, watch.intent);
    case constants.SQLITE_PRAGMA:
      return READABLE_PRAGMAS.has(access.first?.toLowerCase() ?? "")
        ? undefined
        : `PRAGMA ${access.first ?? ""} is not allowed`;
    case constants.SQLITE_INSERT:
    case constants.SQLITE_UPDATE:
    case constants.SQLITE_DELETE:
      return changeDenial(access, watch);
    default:
      return SCHEMA_CHANGES.has(access.action)
        ? schemaDenial(watch.intent)
        : "The statement does something that no intent allows";
  }
}

/** `dbstat` is a table of its own and the module of tables. */
function readsPages({ action, first, second }: AuthorizerCall): boolean {
  const name = action === constants.SQLITE_CREATE_VTABLE ? second : first;
  const isAccess = action === constants.SQLITE_READ || action === constants.SQLITE_CREATE_VTABLE;
  return isAccess && name?.toLowerCase() === "dbstat";
}

/** Full-text indexes ask for the version by a PRAGMA, not by its table. Its value may differ between a preview and a run. */
function readsDataVersion({ action, first }: AuthorizerCall): boolean {
  return action === constants.SQLITE_READ && first?.toLowerCase() === "pragma_data_version";
}

function readsTemporary({ action, first, database, trigger }: AuthorizerCall): boolean {
  if (action !== constants.SQLITE_READ || trigger !== null) return false;
  return database === "temp" || (first ?? "").toLowerCase().startsWith("sqlite_temp_");
}

function functionDenial({ second, trigger }: AuthorizerCall, intent: Intent): string | undefined {
  const name = second ?? "";
  if (isForbiddenFunction(name)) return `The function ${name} is not allowed`;
  const isToldOf = intent !== "read_select" && trigger === null;
  return isToldOf && EARLIER_CHANGES.has(name.toLowerCase())
    ? `The function ${name} is not allowed in a write: it tells what the connection has changed before, for others too`
    : undefined;
}

/** Functions about earlier statements, whose results differ between a preview and a run. */
const EARLIER_CHANGES: ReadonlySet<string> = new Set([
  ...["changes", "last_insert_rowid", "total_changes"],
]);

function changeDenial(access: AuthorizerCall, watch: Watch): string | undefined {
  const table = access.first ?? "";
  if (watch.phase === "running" || watch.shadowTables.has(table)) return undefined;
  if (isEngineTable(table)) return schemaDenial(watch.intent);
  const change = CHANGES.get(access.action);
  assert(change !== undefined, "every change of rows has its gravity");
  const gravityMax = GRAVITY_MAX[watch.intent];
  // The effects of a trigger are its author's decision, once a statement that fires it is allowed.
  const isCovered = change.gravity <= gravityMax || (access.trigger !== null && gravityMax > 0);
  return isCovered
    ? undefined
    : `The statement ${change.verb} ${table}, which the declared intent ${watch.intent} does not cover`;
}

function schemaDenial(intent: Intent): string | undefined {
  return intent === "admin"
    ? undefined
    : `The statement changes the schema, which the declared intent ${intent} does not cover`;
}

/** Tables that SQLite itself maintains; schema changes write to them. */
function isEngineTable(name: string): boolean {
  return name.toLowerCase().startsWith("sqlite_");
}
