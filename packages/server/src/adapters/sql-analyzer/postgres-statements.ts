import type { StatementClass } from "../../governance/index.js";
import { isSystemSchema } from "./postgres-catalogs.js";
import type { TreeNode } from "./postgres-grammar.js";
import { namesIn } from "./postgres-names.js";

/** What one statement of a tree does by itself, or why no intent allows it. */
export type StatementVerdict =
  | {
      readonly kind: "class";
      readonly statementClass: StatementClass;
      readonly because?: string;
      /** How it changes rows; absent when it changes none. */
      readonly changes?: readonly RowChange[];
    }
  | { readonly kind: "forbidden"; readonly message: string };

/** One way to change rows, which is an intent of its own. */
export type RowChange = "write_insert" | "write_update" | "write_delete";

/**
 * What a statement does, leaving aside the statements within it. EXPLAIN runs nothing unless told
 * to ANALYZE, yet counts as what it explains, so that no class has a second spelling.
 * @param type the node's type, such as `SelectStmt`.
 */
export function judgeStatement(type: string, node: TreeNode): StatementVerdict {
  if (OBJECT_FIELDS.some((field) => SERVER_OBJECTS.has(node[field]))) return forbidden(SERVER);
  if (isTemporaryType(node)) return forbidden(TEMPORARY);
  switch (type) {
    case "SelectStmt":
      return selectVerdict(node);
    case "ExplainStmt":
      return ofClass("read_select");
    case "InsertStmt":
      return isUpsert(node)
        ? changing(["write_update"], "ON CONFLICT DO UPDATE may change rows")
        : changing(["write_insert"]);
    case "UpdateStmt":
      return changing(["write_update"]);
    case "DeleteStmt":
      return changing(["write_delete"]);
    case "TruncateStmt":
      return node["behavior"] === "DROP_CASCADE"
        ? ofClass("admin", "TRUNCATE CASCADE empties tables that it does not name")
        : changing(["write_delete"], "TRUNCATE removes all rows");
    case "MergeStmt":
      return changing(mergeChanges(node), "what MERGE's actions do counts");
    case "VacuumStmt":
      return node["is_vacuumcmd"] === true
        ? forbidden("VACUUM is not allowed: it cannot run within a transaction")
        : ofClass("admin");
    case "IndexStmt":
    case "DropStmt":
    case "ReindexStmt":
      if (isConcurrent(node)) {
        return forbidden("CONCURRENTLY is not allowed: every step is a transaction of its own");
      }
      return ofClass("admin", node["removeType"] === "OBJECT_POLICY" ? ACCESS : undefined);
    case "RefreshMatViewStmt":
      return ofClass("admin");
    case "AlterTableStmt":
      if (setsForeignOptions(node)) return forbidden(SERVER);
      return ofClass("admin", changesAccess(node) ? ACCESS : undefined);
    case "AlterObjectSchemaStmt":
      return isSystemSchema(node["newschema"] as string) ? forbidden(SYSTEM) : ofClass("admin");
    case "GrantStmt":
      return namesIn(node["objects"]).some(isSystemSchema)
        ? forbidden(SYSTEM)
        : ofClass("admin", ACCESS);
    case "AlterDefaultPrivilegesStmt":
    case "AlterOwnerStmt":
    case "AlterPolicyStmt":
    case "CreatePolicyStmt":
      return ofClass("admin", ACCESS);
    default:
      if (SCHEMA_STATEMENTS.has(type)) return ofClass("admin");
      return forbidden(FORBIDDEN[type] ?? `${spokenName(type)} is not allowed`);
  }
}

/** Statements that define or change the objects of one database, and run no code of their own. */
const SCHEMA_STATEMENTS: ReadonlySet<string> = new Set([
  "AlterDomainStmt",
  "AlterEnumStmt",
  "AlterSeqStmt",
  "AlterStatsStmt",
  "ClusterStmt",
  "CommentStmt",
  "CompositeTypeStmt",
  "CreateDomainStmt",
  "CreateEnumStmt",
  "CreateRangeStmt",
  "CreateSchemaStmt",
  "CreateSeqStmt",
  "CreateStatsStmt",
  "CreateStmt",
  "CreateTableAsStmt",
  "CreateTrigStmt",
  "RenameStmt",
  "ViewStmt",
]);

/** Where statements about many kinds of objects say which kind they are about. */
const OBJECT_FIELDS = ["objectType", "objtype", "removeType", "renameType"];

/** Kinds of objects that belong to the whole server, or bring code or connections with them. */
const SERVER_OBJECTS: ReadonlySet<unknown> = new Set([
  "OBJECT_ACCESS_METHOD",
  "OBJECT_DATABASE",
  "OBJECT_EVENT_TRIGGER",
  "OBJECT_EXTENSION",
  "OBJECT_FDW",
  "OBJECT_FOREIGN_SERVER",
  "OBJECT_LANGUAGE",
  "OBJECT_LARGEOBJECT",
  "OBJECT_PARAMETER_ACL",
  "OBJECT_PUBLICATION",
  "OBJECT_ROLE",
  "OBJECT_SUBSCRIPTION",
  "OBJECT_TABLESPACE",
]);

/** Why policies, privileges and owners are governed, like every change of the schema. */
const ACCESS = "it changes who may read or change rows";

/** What people are told who would leave something in a session. */
export const TEMPORARY = "Temporary objects are not allowed: connections are shared between steps";
const SYSTEM = "PostgreSQL's own schemas cannot be changed";
const TRANSACTIONS = "Transaction control is not allowed: every step is its own transaction";
const SESSION = "Session settings are not allowed: connections are shared between steps";
const CODE = "Code is not allowed: what it would do cannot be read from the statement";
const CURSORS = "Cursors and prepared statements are not allowed: a step is one statement";
const SERVER = "Roles, databases and the server's settings are beyond a data source";

/** What people are told of the statements they may well try; of others, only their name. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  TransactionStmt: TRANSACTIONS,
  ConstraintsSetStmt: TRANSACTIONS,
  LockStmt: "LOCK is not allowed: a step is one statement, which takes the locks it needs",
  VariableSetStmt: SESSION,
  VariableShowStmt: "SHOW is not allowed: a step works on data, not on settings",
  DiscardStmt: SESSION,
  DoStmt: CODE,
  CallStmt: CODE,
  AlterTypeStmt: CODE,
  CreateFunctionStmt: CODE,
  CreateExtensionStmt: CODE,
  CreatePLangStmt: CODE,
  CreateEventTrigStmt: CODE,
  DefineStmt: CODE,
  LoadStmt: CODE,
  RuleStmt: CODE,
  CopyStmt: "COPY is not allowed: select the rows, or insert them with VALUES",
  PrepareStmt: CURSORS,
  ExecuteStmt: CURSORS,
  DeallocateStmt: CURSORS,
  DeclareCursorStmt: CURSORS,
  FetchStmt: CURSORS,
  ClosePortalStmt: CURSORS,
  ListenStmt: "LISTEN is not allowed: connections are shared between steps",
  UnlistenStmt: "UNLISTEN is not allowed: connections are shared between steps",
  NotifyStmt: "NOTIFY is not allowed; in a write, select pg_notify(channel, payload)",
  CreateRoleStmt: SERVER,
  AlterRoleStmt: SERVER,
  AlterRoleSetStmt: SERVER,
  DropRoleStmt: SERVER,
  GrantRoleStmt: SERVER,
  AlterSystemStmt: SERVER,
  CreatedbStmt: SERVER,
  DropdbStmt: SERVER,
  AlterDatabaseStmt: SERVER,
  AlterDatabaseSetStmt: SERVER,
};

function selectVerdict(node: TreeNode): StatementVerdict {
  if (node["intoClause"] !== undefined) return ofClass("admin", "SELECT INTO creates a table");
  if (node["lockingClause"] !== undefined) {
    return ofClass("write_update", "FOR UPDATE or FOR SHARE locks rows");
  }
  return ofClass("read_select");
}

function isUpsert(node: TreeNode): boolean {
  return (node["onConflictClause"] as TreeNode | undefined)?.["action"] === "ONCONFLICT_UPDATE";
}

/**
 * A MERGE that updates and inserts is an upsert, which counts as an update, as INSERT … ON CONFLICT does; one that
 * deletes is a delete as well. The engine does not treat a MERGE as a read even when it only says DO NOTHING.
 */
function mergeChanges(node: TreeNode): readonly [RowChange, ...RowChange[]] {
  const actions = listed(node, "mergeWhenClauses", "MergeWhenClause", "commandType");
  const kept: readonly RowChange[] = actions.includes("CMD_UPDATE")
    ? ["write_update"]
    : actions.includes("CMD_INSERT")
      ? ["write_insert"]
      : [];
  if (actions.includes("CMD_DELETE")) return ["write_delete", ...kept];
  return [kept[0] ?? "write_insert"];
}

function isConcurrent(node: TreeNode): boolean {
  return (
    node["concurrent"] === true ||
    listed(node, "params", "DefElem", "defname").includes("concurrently")
  );
}

/** A domain, enumeration or range that would hide another type from later statements of its session. */
function isTemporaryType(node: TreeNode): boolean {
  const name = namesIn(node["domainname"] ?? node["typeName"]);
  return name.at(-2)?.startsWith("pg_temp") === true;
}

/** Options of a foreign table say which file it reads, or which table of another server. */
function setsForeignOptions(node: TreeNode): boolean {
  return listed(node, "cmds", "AlterTableCmd", "subtype").some((subtype) =>
    /^AT_(AlterColumn)?GenericOptions$/.test(String(subtype)),
  );
}

/** Row-level security switched on or off, for the owner too, and a new owner, whom it does not bind. */
const ACCESS_COMMANDS = /^AT_(Enable|Disable|Force|NoForce)RowSecurity$|^AT_ChangeOwner$/;

function changesAccess(node: TreeNode): boolean {
  return listed(node, "cmds", "AlterTableCmd", "subtype").some((subtype) =>
    ACCESS_COMMANDS.test(String(subtype)),
  );
}

/** One field of each node in a list of nodes of one type. */
function listed(node: TreeNode, list: string, type: string, field: string): readonly unknown[] {
  const items = (node[list] ?? []) as readonly { readonly [type: string]: TreeNode }[];
  return items.map((item) => item[type]?.[field]);
}

/** `AlterSystemStmt` as `ALTER SYSTEM`. */
export function spokenName(type: string): string {
  return type
    .replace(/Stmt$/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}

function ofClass(statementClass: StatementClass, because?: string): StatementVerdict {
  return { kind: "class", statementClass, ...(because === undefined ? {} : { because }) };
}

/** @param changes the gravest first. */
function changing(
  changes: readonly [RowChange, ...RowChange[]],
  because?: string,
): StatementVerdict {
  const [statementClass] = changes;
  return { kind: "class", statementClass, changes, ...(because === undefined ? {} : { because }) };
}

function forbidden(message: string): StatementVerdict {
  return { kind: "forbidden", message };
}
