import type { AstNode, QualifiedName, Stmt } from "sqlite3-parser";
import { childrenOf } from "./syntax-tree.js";

/**
 * The tables that one statement names, in the order of the text, spelt as at their first occurrence
 * but without quotes. Names of common table expressions are left out. The walk is not recursive, so
 * deeply nested statements cannot overflow the stack.
 */
export function namedTables(statement: Stmt): readonly string[] {
  const tables = new Map<string, string>();
  const pending: Visit[] = [{ node: statement, scope: undefined }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { node } = visit;
    const scope = scopeWithin(node, visit.scope);
    for (const name of tablesNamedBy(node, scope)) {
      if (!tables.has(name.toLowerCase())) tables.set(name.toLowerCase(), name);
    }
    for (const child of childrenOf(node).reverse()) pending.push({ node: child, scope });
  }
  return [...tables.values()];
}

/**
 * The names of common table expressions that shadow tables, from the innermost WITH outwards; lower
 * case.
 */
interface Scope {
  readonly names: ReadonlySet<string>;
  readonly outer: Scope | undefined;
}

interface Visit {
  readonly node: AstNode;
  readonly scope: Scope | undefined;
}

function scopeWithin(node: AstNode, outer: Scope | undefined): Scope | undefined {
  if (!("with" in node) || node.with === undefined) return outer;
  const names = new Set(node.with.ctes.map((cte) => cte.tblName.text.toLowerCase()));
  return { names, outer };
}

/** Table functions without data of their own: their rows come from the placeholder's value. */
const JSON_TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  "json_each",
  "json_tree",
  "jsonb_each",
  "jsonb_tree",
]);

function tablesNamedBy(node: AstNode, scope: Scope | undefined): readonly string[] {
  switch (node.type) {
    case "TableSelectTable":
      return isCte(node.tblName, scope) ? [] : [text(node.tblName)];
    case "InTableExpr":
      return isCte(node.rhs, scope) ? [] : [text(node.rhs)];
    case "TableCallSelectTable":
      return JSON_TABLE_FUNCTIONS.has(text(node.tblName).toLowerCase()) ? [] : [text(node.tblName)];
    case "AlterTableStmt":
    case "CreateTableStmt":
    case "CreateTriggerStmt":
    case "CreateVirtualTableStmt":
    case "DeleteStmt":
    case "DeleteTriggerCmd":
    case "DropTableStmt":
    case "InsertStmt":
    case "InsertTriggerCmd":
    case "UpdateStmt":
    case "UpdateTriggerCmd":
      return [text(node.tblName)];
    case "CreateIndexStmt":
    case "ForeignKeyClause":
      return [node.tblName.text];
    case "CreateViewStmt":
    case "DropViewStmt":
      return [text(node.viewName)];
    case "RenameToAlterTableBody":
      return [node.name.text];
    case "AnalyzeStmt":
    case "ReindexStmt":
      return node.objName === undefined ? [] : [text(node.objName)];
    default:
      return [];
  }
}

function isCte(name: QualifiedName, scope: Scope | undefined): boolean {
  if (name.dbName !== undefined) return false;
  const wanted = text(name).toLowerCase();
  for (let level = scope; level !== undefined; level = level.outer) {
    if (level.names.has(wanted)) return true;
  }
  return false;
}

function text(name: QualifiedName): string {
  return name.objName.text;
}
