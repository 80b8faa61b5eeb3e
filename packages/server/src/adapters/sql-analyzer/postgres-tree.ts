import type { TreeNode, TreeValue } from "./postgres-grammar.js";
import { nameOf, namesIn } from "./postgres-names.js";
import { Selections, type Selection } from "./postgres-selections.js";

/** A table that a statement names, and its role there. */
export interface NamedTable {
  /** Database, schema and name; parts that the statement omits are absent. */
  readonly name: readonly string[];
  /** Type of the nested statement that names it, such as `InsertStmt`. */
  readonly statement: string;
  /** True when its rows are changed; false when they are read, or the table is defined. */
  readonly isTarget: boolean;
  readonly isTemporary: boolean;
}

/**
 * Everything in a tree that is judged, in the order of the text as far as the tree preserves it.
 */
export interface TreeContents {
  readonly statements: readonly { readonly type: string; readonly node: TreeNode }[];
  readonly tables: readonly NamedTable[];
  /** Schema and name, or only the name, of each called function. */
  readonly functions: readonly (readonly string[])[];
  /** Schema and name, or only the name, of each operator. */
  readonly operators: readonly (readonly string[])[];
  /** Each `value.name` that may be a function call. */
  readonly selections: readonly Selection[];
}

/**
 * Collects the contents of a statement at any depth, without recursion. Where a field can hold only
 * one node type, the tree does not name the type; such nodes are recognized by their fields.
 */
export function contentsOf(root: TreeNode): TreeContents {
  const found: Found = {
    statements: [],
    tables: [],
    functions: [],
    operators: [],
    dots: new Selections(),
  };
  const pending: Visit[] = [{ value: root, field: "", statement: "", scope: undefined }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    pending.push(...visitValue(visit, found).reverse());
  }
  const { dots, ...contents } = found;
  return { ...contents, selections: dots.list() };
}

interface Found {
  readonly statements: { type: string; node: TreeNode }[];
  readonly tables: NamedTable[];
  readonly functions: (readonly string[])[];
  readonly operators: (readonly string[])[];
  readonly dots: Selections;
}

interface Visit {
  readonly value: TreeValue;
  /** The field or the type that holds the value. */
  readonly field: string;
  /** The innermost enclosing statement. */
  readonly statement: string;
  /** Names of common table expressions in scope, which shadow tables. */
  readonly scope: Scope | undefined;
}

/** The names that one WITH introduces, and the enclosing scopes. */
interface Scope {
  /** Position of each query of the WITH by name; shared by all scopes of this WITH. */
  readonly names: ReadonlyMap<string, number>;
  /** Number of queries, from the first, that are visible here. */
  readonly seen: number;
  readonly outer: Scope | undefined;
}

/** Field names start with a lower-case letter, type names with a capital. */
const STATEMENT_TYPE = /^[A-Z]\w*Stmt$/;
/** Fields that hold a SELECT without its type: the halves of a UNION. */
const SELECT_FIELDS: ReadonlySet<string> = new Set(["larg", "rarg"]);
/** Statements whose field `relation` is the changed table. */
const CHANGES: ReadonlySet<string> = new Set([
  "DeleteStmt",
  "InsertStmt",
  "MergeStmt",
  "UpdateStmt",
]);
/** Statements that change all tables they name, or let others change them. */
const CHANGES_ALL: ReadonlySet<string> = new Set(["GrantStmt", "TruncateStmt"]);
/** Object kinds of DROP, COMMENT and RENAME that count as tables here. */
const TABLE_KINDS: ReadonlySet<unknown> = new Set([
  "OBJECT_FOREIGN_TABLE",
  "OBJECT_MATVIEW",
  "OBJECT_TABLE",
  "OBJECT_VIEW",
]);

function visitValue({ value, field, statement, scope }: Visit, found: Found): Visit[] {
  if (isList(value)) return value.map((item) => ({ value: item, field, statement, scope }));
  if (typeof value !== "object") return [];
  const type = SELECT_FIELDS.has(field) ? "SelectStmt" : field;
  const isStatement = STATEMENT_TYPE.test(type);
  if (isStatement) found.statements.push({ type, node: value });
  const within = isStatement ? type : statement;
  collectTables(value, field, within, scope, found);
  collectFunctions(value, type, within, found);
  collectOperators(value, type, found);
  found.dots.visit(value, type, isCte(value, scope));
  const inner = innerScopes(value, scope);
  return Object.entries(value).flatMap(([name, child]) => {
    // FOR UPDATE OF repeats names of FROM, which may be aliases.
    if (name === "lockedRels") return [];
    return name === "withClause"
      ? inner.ctes.map((cte) => ({ ...cte, field: "CommonTableExpr", statement: within }))
      : [{ value: child, field: name, statement: within, scope: inner.body }];
  });
}

function collectTables(
  node: TreeNode,
  field: string,
  statement: string,
  scope: Scope | undefined,
  found: Found,
): void {
  if (typeof node["relname"] === "string") {
    const name = nameOf(node);
    const isTarget = CHANGES_ALL.has(statement) || (CHANGES.has(statement) && field === "relation");
    if (!isTarget && isCte(node, scope)) return;
    const isTemporary =
      node["relpersistence"] === "t" || name.at(-2)?.startsWith("pg_temp") === true;
    found.tables.push({ name, statement, isTarget, isTemporary });
  }
  const renamed = newNameOf(node);
  if (renamed !== undefined) {
    found.tables.push({ name: renamed, statement, isTarget: false, isTemporary: false });
  }
  if (TABLE_KINDS.has(node["removeType"]) || TABLE_KINDS.has(node["objtype"])) {
    const objects = [node["objects"] ?? [], node["object"] ?? []].flat() as readonly TreeNode[];
    for (const object of objects) {
      const name = namesIn((object["List"] as TreeNode | undefined)?.["items"]);
      if (name.length > 0) {
        found.tables.push({ name, statement, isTarget: false, isTemporary: false });
      }
    }
  }
}

/** A table's name after RENAME or SET SCHEMA. */
function newNameOf(node: TreeNode): readonly string[] | undefined {
  const table = node["relation"] as TreeNode | undefined;
  if (table === undefined) return undefined;
  const { newname: name, newschema: schema } = node;
  if (name !== undefined && TABLE_KINDS.has(node["renameType"])) {
    return nameOf({ ...table, relname: name });
  }
  if (schema !== undefined && TABLE_KINDS.has(node["objectType"])) {
    return nameOf({ ...table, schemaname: schema });
  }
  return undefined;
}

function collectFunctions(node: TreeNode, type: string, statement: string, found: Found): void {
  // Writes to the table call the trigger's function, as the table's owner has decided; creating the
  // trigger does not.
  if (type !== "CreateTrigStmt" && node["funcname"] !== undefined) {
    found.functions.push(namesIn(node["funcname"]));
  }
  // GRANT on a function lets the grantee call it.
  if (type === "ObjectWithArgs" && statement === "GrantStmt") {
    found.functions.push(namesIn(node["objname"]));
  }
  if (type === "RangeTableSample" && !isBuiltInSampling(namesIn(node["method"]))) {
    found.functions.push(namesIn(node["method"]));
  }
}

/** Expressions with a keyword instead of an operator name. */
const BETWEEN: ReadonlySet<unknown> = new Set([
  "AEXPR_BETWEEN",
  "AEXPR_BETWEEN_SYM",
  "AEXPR_NOT_BETWEEN",
  "AEXPR_NOT_BETWEEN_SYM",
]);

/** Operators of expressions, of `x = ANY (SELECT …)` and of `ORDER BY x USING <`. */
function collectOperators(node: TreeNode, type: string, found: Found): void {
  if (BETWEEN.has(node["kind"])) return;
  const name = type === "A_Expr" ? node["name"] : (node["operName"] ?? node["useOp"]);
  if (name !== undefined) found.operators.push(namesIn(name));
}

function isBuiltInSampling(name: readonly string[]): boolean {
  return name.length === 1 && (name[0] === "bernoulli" || name[0] === "system");
}

/**
 * The scopes inside a node with WITH: one for the node and one for each of its queries. Without
 * RECURSIVE a query sees only the queries before it, so `WITH t AS (SELECT * FROM t)` reads the
 * table.
 */
function innerScopes(
  node: TreeNode,
  outer: Scope | undefined,
): {
  readonly body: Scope | undefined;
  readonly ctes: readonly { readonly value: TreeNode; readonly scope: Scope }[];
} {
  const clause = node["withClause"] as TreeNode | undefined;
  if (clause === undefined) return { body: outer, ctes: [] };
  const queries = ((clause["ctes"] ?? []) as readonly TreeNode[]).map(
    (item) => item["CommonTableExpr"] as TreeNode,
  );
  const names = new Map(queries.map((query, place) => [query["ctename"] as string, place]));
  const body: Scope = { names, seen: queries.length, outer };
  const ctes = queries.map((value, place) => ({
    value,
    scope: clause["recursive"] === true ? body : { ...body, seen: place },
  }));
  return { body, ctes };
}

/** Whether a table's name refers to a common table expression. */
function isCte(table: TreeNode, scope: Scope | undefined): boolean {
  const { relname: name, schemaname: schema } = table;
  if (typeof name !== "string" || schema !== undefined) return false;
  for (let around = scope; around !== undefined; around = around.outer) {
    const place = around.names.get(name);
    if (place !== undefined && place < around.seen) return true;
  }
  return false;
}

function isList(value: TreeValue): value is readonly TreeValue[] {
  return Array.isArray(value);
}
