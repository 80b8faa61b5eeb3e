import type {
  InsertStmt,
  QualifiedName,
  Stmt,
  UpdateStmt,
  Upsert,
} from "@steward/schema/sqlite-syntax";
import type { Intent, StatementClass } from "../../governance/index.js";
import { unreachable } from "@steward/kernel/assert.js";

/** The class of a statement, or the reason why no intent allows it. */
export type Classification =
  | { readonly kind: "class"; readonly statementClass: StatementClass; readonly because?: string }
  | { readonly kind: "forbidden"; readonly message: string };

/**
 * The class of one statement. A statement that may change rows in several ways gets the most severe
 * class: an upsert may update rows, so it is `write_update`; REPLACE, INSERT OR REPLACE and UPDATE
 * OR REPLACE may delete conflicting rows, so they are `write_delete`. EXPLAIN executes nothing, yet
 * it counts as the statement that it explains, so that EXPLAIN is not a second spelling of a class.
 */
export function classifyStatement(statement: Stmt): Classification {
  switch (statement.type) {
    case "SelectStmt":
      return ofClass("read_select");
    case "InsertStmt":
      return mayCommandIndex(statement)
        ? ofClass("write_delete", INDEX_COMMAND)
        : ofClass(insertClass(statement));
    case "UpdateStmt":
      return ofClass(updateClass(statement));
    case "DeleteStmt":
      return ofClass("write_delete");
    case "ExplainStmt":
      return classifyStatement(statement.stmt);
    case "CreateTableStmt":
      return unlessTemporary(statement.temporary, statement.tblName);
    case "CreateTriggerStmt":
      return unlessTemporary(statement.temporary, statement.triggerName);
    case "CreateViewStmt":
      return unlessTemporary(statement.temporary, statement.viewName);
    case "CreateIndexStmt":
      return unlessTemporary(false, statement.idxName);
    case "CreateVirtualTableStmt":
      return unlessTemporary(false, statement.tblName);
    case "AlterTableStmt":
    case "AnalyzeStmt":
    case "DropIndexStmt":
    case "DropTableStmt":
    case "DropTriggerStmt":
    case "DropViewStmt":
    case "ReindexStmt":
      return ofClass("admin");
    case "AttachStmt":
    case "DetachStmt":
      return forbidden("ATTACH and DETACH are not allowed: a step works on its own data source");
    case "PragmaStmt":
      return forbidden(
        "PRAGMA is not allowed; to read a table's columns, select from pragma_table_info('table')",
      );
    case "VacuumStmt":
      return forbidden("VACUUM is not allowed");
    case "BeginStmt":
    case "CommitStmt":
    case "ReleaseStmt":
    case "RollbackStmt":
    case "SavepointStmt":
      return forbidden("Transaction control is not allowed: every step is its own transaction");
    default:
      return unreachable(statement);
  }
}

/**
 * Each way in which the statement changes rows, and whether it returns rows. An upsert also inserts,
 * and REPLACE replaces: the class alone does not tell.
 */
export function changesOf(statement: Stmt): {
  readonly changes: readonly Intent[];
  readonly isReturning: boolean;
} {
  switch (statement.type) {
    case "ExplainStmt":
      return changesOf(statement.stmt);
    case "InsertStmt": {
      const { body, returning } = statement;
      const isUpsert = body.type === "SelectInsertBody" && mayUpdate(body.upsert);
      return {
        changes: isUpsert ? ["write_insert", "write_update"] : ["write_insert"],
        isReturning: returning !== undefined,
      };
    }
    case "UpdateStmt":
      return { changes: ["write_update"], isReturning: statement.returning !== undefined };
    case "DeleteStmt":
      return { changes: ["write_delete"], isReturning: statement.returning !== undefined };
    default:
      return { changes: [], isReturning: false };
  }
}

function insertClass(statement: InsertStmt): StatementClass {
  if (statement.orConflict === "Replace") return "write_delete";
  const { body } = statement;
  return body.type === "SelectInsertBody" && mayUpdate(body.upsert)
    ? "write_update"
    : "write_insert";
}

/**
 * A full-text index accepts commands, for example to delete rows, in a column with the table's own
 * name (https://sqlite.org/fts5.html, §6). Only the database knows which tables are full-text
 * indexes.
 */
function mayCommandIndex({ tblName, columns = [] }: InsertStmt): boolean {
  const table = tblName.objName.text.toLowerCase();
  return columns.some((column) => column.text.toLowerCase() === table);
}

const INDEX_COMMAND =
  "a column of the table's own name takes a full-text index's commands; for another table, leave out the list of columns";

function mayUpdate(upsert: Upsert | undefined): boolean {
  for (let clause = upsert; clause !== undefined; clause = clause.next) {
    if (clause.doClause.type === "SetUpsertDo") return true;
  }
  return false;
}

function updateClass(statement: UpdateStmt): StatementClass {
  return statement.orConflict === "Replace" ? "write_delete" : "write_update";
}

/** A temporary object would outlive its step in a connection that other steps use. */
function unlessTemporary(temporary: boolean, name: QualifiedName): Classification {
  return temporary || name.dbName?.text.toLowerCase() === "temp"
    ? forbidden("Temporary objects are not allowed: connections are shared between steps")
    : ofClass("admin");
}

function ofClass(statementClass: StatementClass, because?: string): Classification {
  return { kind: "class", statementClass, ...(because === undefined ? {} : { because }) };
}

function forbidden(message: string): Classification {
  return { kind: "forbidden", message };
}
