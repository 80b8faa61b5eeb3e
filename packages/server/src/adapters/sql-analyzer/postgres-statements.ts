import type { StatementClass } from "../../governance/index.js";
import { isSystemSchema } from "./postgres-catalogs.js";
import type { TreeNode } from "./postgres-grammar.js";
import { namesIn } from "./postgres-names.js";

/** What one statement of a tree does by itself, or why no intent allows it. */
export type StatementVerdict =
  | { readonly kind: "class"; readonly statementClass: StatementClass; readonly because?: string }
  | { readonly kind: "forbidden"; readonly message: string };

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
        ? ofClass("write_update", "ON CONFLICT DO UPDATE may change rows")
        : ofClass("write_insert");
    case "UpdateStmt":
      return ofClass("write_update");
    case "DeleteStmt":
      return ofClass("write_delete");
    case "TruncateStmt":
      return ofClass("write_delete", "TRUNCATE removes all rows");
    case "MergeStmt":
      return ofClass(mergeClass(node), "the gravest of MERGE's actions counts");
    case "VacuumStmt":
      return node["is_vacuumcmd"] === true
        ? forbidden("VACUUM is not allowed: it cannot run within a transaction")
        : ofClass("admin");
    case "IndexStmt":
    case "DropStmt":
    case "ReindexStmt":
      return isConcurrent(node)
        ? forbidden("CONCURRENTLY is not allowed: every step is a transaction of its own")
        : ofClass("admin");
    case "RefreshMatViewStmt":
      return ofClass("admin");
    case "AlterTableStmt":
      return setsForeignOptions(node) ? forbidden(SERVER) : ofClass("admin");
    case "AlterObjectSchemaStmt":
      return isSystemSchema(node["newschema"] as string) ? forbidden(SYSTEM) : ofClass("admin");
    case "GrantStmt":
      return namesIn(node["objects"]).some(isSystemSchema) ? forbidden(SYSTEM) : ofClass("admin");
    default:
      if (SCHEMA_STATEMENTS.has(type)) return ofClass("admin");
      return forbidden(FORBIDDEN[type] ?? `${spokenName(type)} is not allowed`);
  }
}

/** Statements that define or change the objects of one database, and run no code of their own. */
const SCHEMA_STATEMENTS: ReadonlySet<string> = new Set([
  "AlterDefaultPrivilegesStmt",
  "AlterDomainStmt",
  "AlterEnumStmt",
  "AlterOwnerStmt",
  "AlterPolicyStmt",
  "AlterSeqStmt",
  "AlterStatsStmt",
  "ClusterStmt",
  "CommentStmt",
  "CompositeTypeStmt",
  "CreateDomainStmt",
  "CreateEnumStmt",
  "CreatePolicyStmt",
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

/** Also a MERGE that does nothing is no read to the engine. */
function mergeClass(node: TreeNode): StatementClass {
  const actions = listed(node, "mergeWhenClauses", "MergeWhenClause", "commandType");
  if (actions.includes("CMD_DELETE")) return "write_delete";
  return actions.includes("CMD_UPDATE") ? "write_update" : "write_insert";
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

function forbidden(message: string): StatementVerdict {
  return { kind: "forbidden", message };
}
