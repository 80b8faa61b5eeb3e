import { constants, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Intent } from "../../../governance/index.js";
import { assert } from "../../../kernel/assert.js";
import { isForbiddenFunction } from "../../sqlite-functions.js";
import { isOwnTable } from "../../own-tables.js";

/**
 * Has the engine itself refuse whatever the declared intent does not cover. SQLite asks an
 * authorizer about every table, column and function a statement touches, views and triggers
 * resolved, while it compiles the statement: first when we prepare it, again when the schema has
 * changed under a prepared one, and for the statements that virtual tables run on their own behalf.
 * Our own statements are asked about too; outside `watch` everything is allowed.
 */
export class Guard {
  #watch: Watch | undefined;
  #denial: string | undefined;
  #consulted = false;

  constructor(db: DatabaseSyncInstance) {
    db.setAuthorizer((action, first, second, _database, trigger) =>
      this.#decide({ action, first, second, trigger }),
    );
  }

  /** From here until `relax`, the agent's statement is what the engine asks about. */
  watch(watch: Watch): void {
    this.#watch = watch;
    this.#consulted = false;
  }

  /** The engine asks about our own statements again. */
  relax(): void {
    this.#watch = undefined;
    this.#denial = undefined;
  }

  /** What was refused since `watch`, in words for the agent. */
  get denial(): string | undefined {
    return this.#denial;
  }

  /** Whether anything was compiled since `watch`: a prepared statement may have other columns now. */
  get consulted(): boolean {
    return this.#consulted;
  }

  #decide(access: Access): number {
    if (this.#watch === undefined) return constants.SQLITE_OK;
    this.#consulted = true;
    this.#watch.observe?.(access);
    const denial = denialOf(access, this.#watch);
    if (denial === undefined) return constants.SQLITE_OK;
    // ANALYZE of the whole database leaves out what it may not see.
    if (access.action === constants.SQLITE_ANALYZE) return constants.SQLITE_IGNORE;
    this.#denial ??= denial;
    return constants.SQLITE_DENY;
  }
}

/** Whose statement the engine is at. */
export interface Watch {
  readonly intent: Intent;
  /**
   * While a statement runs, rows are changed only by what was judged when it was prepared, and by
   * virtual tables that keep their own shadow tables.
   */
  readonly phase: "preparing" | "running";
  /**
   * Tables behind virtual tables. In defensive mode the engine lets only their virtual table write
   * to them, and some prepare those writes as soon as they are opened, be it to read.
   */
  readonly shadowTables: ReadonlySet<string>;
  /** Told of everything that the engine asks about. */
  readonly observe?: (access: Access) => void;
}

/** One question of the engine; what its parts mean: https://sqlite.org/c3ref/c_alter_table.html */
export interface Access {
  readonly action: number;
  readonly first: string | null;
  readonly second: string | null;
  /** The trigger or view whose body is being compiled. */
  readonly trigger: string | null;
}

/** Changes of rows by gravity. */
const CHANGES: ReadonlyMap<number, { readonly verb: string; readonly gravity: number }> = new Map([
  [constants.SQLITE_INSERT, { verb: "inserts into", gravity: 1 }],
  [constants.SQLITE_UPDATE, { verb: "updates", gravity: 2 }],
  [constants.SQLITE_DELETE, { verb: "deletes from", gravity: 3 }],
]);

/**
 * The gravest change each intent reaches. It covers the milder ones, for an upsert inserts too, a
 * REPLACE does all three, and foreign keys update or delete in turn; that the statement as a whole
 * is of the intent's class, the analyzer has said.
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
 * Pragmas that may be read, as table functions (`pragma_table_info('orders')`): they describe the
 * schema, and `data_version` is what full-text indexes ask for on their own behalf.
 */
const READABLE_PRAGMAS: ReadonlySet<string> = new Set([
  "data_version",
  "foreign_key_list",
  "index_info",
  "index_list",
  "index_xinfo",
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

function denialOf(access: Access, watch: Watch): string | undefined {
  const own = [access.first ?? "", access.second ?? ""].find(isOwnTable);
  if (own !== undefined) {
    return `The table ${own.toLowerCase()} belongs to the service and cannot be used in a statement`;
  }
  switch (access.action) {
    case constants.SQLITE_READ:
    case constants.SQLITE_SELECT:
    case constants.SQLITE_RECURSIVE:
      return undefined;
    case constants.SQLITE_FUNCTION:
      return isForbiddenFunction(access.second ?? "")
        ? `The function ${access.second ?? ""} is not allowed`
        : undefined;
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
        : "The statement does what no intent allows";
  }
}

function changeDenial(access: Access, watch: Watch): string | undefined {
  const table = access.first ?? "";
  if (watch.phase === "running" || watch.shadowTables.has(table)) return undefined;
  if (isEngineTable(table)) return schemaDenial(watch.intent);
  const change = CHANGES.get(access.action);
  assert(change !== undefined, "every change of rows has its gravity");
  const gravityMax = GRAVITY_MAX[watch.intent];
  // What a trigger does is its author's decision, once a statement that may fire it is allowed.
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

/** Tables the engine keeps; changing the schema changes them. */
function isEngineTable(name: string): boolean {
  return name.toLowerCase().startsWith("sqlite_");
}
