import type { StatementClass } from "../../governance/index.js";
import { isSystemSchema } from "./postgres-catalogs.js";
import type { TreeNode } from "./postgres-grammar.js";
import { namesIn } from "./postgres-names.js";

/** The effect of one statement of a tree by itself, or the reason why no intent allows it. */
export type StatementVerdict =
  | {
      readonly kind: "class";
      readonly statementClass: StatementClass;
      readonly because?: string;
      /** How it changes rows; absent when it does not. */
      readonly changes?: readonly RowChange[];
      /** Milder changes that are a part of those, such as the inserts of an upsert. */
      readonly milder?: readonly RowChange[];
    }
  | { readonly kind: "forbidden"; readonly message: string };

/** One way to change rows; each is an intent of its own. */
export type RowChange = "write_insert" | "write_update" | "write_delete";

/**
 * Judges a statement without the statements nested in it. EXPLAIN executes nothing without ANALYZE,
 * yet it counts as the statement that it explains, so that EXPLAIN is not a second spelling of a
 * class.
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
        ? changing(["write_update"], "ON CONFLICT DO UPDATE may change rows", ["write_insert"])
        : changing(["write_insert"]);
    case "UpdateStmt":
      return changing(["write_update"]);
    case "DeleteStmt":
      return changing(["write_delete"]);
    case "TruncateStmt":
      return node["behavior"] === "DROP_CASCADE"
        ? {
            ...ofClass("admin", "TRUNCATE CASCADE empties tables that it does not name"),
            milder: ["write_delete"],
          }
        : changing(["write_delete"], "TRUNCATE removes all rows");
    case "MergeStmt":
      return changing(
        mergeChanges(node),
        "MERGE counts as the most severe of its actions",
        mergeActions(node).includes("CMD_INSERT") ? ["write_insert"] : [],
      );
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

/** Statements that define or change objects of one database and execute no code. */
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

/** Fields in which statements that apply to many kinds of objects name the kind. */
const OBJECT_FIELDS = ["objectType", "objtype", "removeType", "renameType"];

/** Kinds of objects that belong to the whole server, contain code, or open connections. */
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

/** The reason why changes of policies, privileges and owners count as changes of the schema. */
const ACCESS = "it changes who may read or change rows";

/** The message for statements that would leave an object in the session. */
export const TEMPORARY = "Temporary objects are not allowed: connections are shared between steps";
const SYSTEM = "PostgreSQL's own schemas cannot be changed";
const TRANSACTIONS = "Transaction control is not allowed: every step is its own transaction";
const SESSION = "Session settings are not allowed: connections are shared between steps";
const CODE = "Code is not allowed: its effect cannot be derived from the statement";
const CURSORS = "Cursors and prepared statements are not allowed: a step is one statement";
const SERVER = "Roles, databases and the server's settings do not belong to a data source";

/**
 * Messages for forbidden statements that agents are likely to try. The message for any other
 * statement is only its name.
 */
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
 * A MERGE that updates and inserts is an upsert, which counts as an update, as INSERT … ON CONFLICT
 * does. A MERGE that deletes is also a delete. PostgreSQL treats even a MERGE with only DO NOTHING
 * as a write.
 */
function mergeChanges(node: TreeNode): readonly [RowChange, ...RowChange[]] {
  const actions = mergeActions(node);
  const kept: readonly RowChange[] = actions.includes("CMD_UPDATE")
    ? ["write_update"]
    : actions.includes("CMD_INSERT")
      ? ["write_insert"]
      : [];
  if (actions.includes("CMD_DELETE")) return ["write_delete", ...kept];
  return [kept[0] ?? "write_insert"];
}

function mergeActions(node: TreeNode): readonly unknown[] {
  return listed(node, "mergeWhenClauses", "MergeWhenClause", "commandType");
}

function isConcurrent(node: TreeNode): boolean {
  return (
    node["concurrent"] === true ||
    listed(node, "params", "DefElem", "defname").includes("concurrently")
  );
}

/**
 * A domain, enum or range type in the temporary schema, which would shadow another type for later
 * statements of the session.
 */
function isTemporaryType(node: TreeNode): boolean {
  const name = namesIn(node["domainname"] ?? node["typeName"]);
  return name.at(-2)?.startsWith("pg_temp") === true;
}

/** Options of a foreign table name the file or the remote table that it reads. */
function setsForeignOptions(node: TreeNode): boolean {
  return listed(node, "cmds", "AlterTableCmd", "subtype").some((subtype) =>
    /^AT_(AlterColumn)?GenericOptions$/.test(String(subtype)),
  );
}

/**
 * Switches row-level security on or off, also for the owner, or sets a new owner, who bypasses it.
 */
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

/** Converts `AlterSystemStmt` to `ALTER SYSTEM`. */
export function spokenName(type: string): string {
  return type
    .replace(/Stmt$/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}

function ofClass(
  statementClass: StatementClass,
  because?: string,
): Extract<StatementVerdict, { readonly kind: "class" }> {
  return { kind: "class", statementClass, ...(because === undefined ? {} : { because }) };
}

/** @param changes the most severe first. */
function changing(
  changes: readonly [RowChange, ...RowChange[]],
  because?: string,
  milder: readonly RowChange[] = [],
): StatementVerdict {
  const [statementClass] = changes;
  return { ...ofClass(statementClass, because), changes, milder };
}

function forbidden(message: string): StatementVerdict {
  return { kind: "forbidden", message };
}
