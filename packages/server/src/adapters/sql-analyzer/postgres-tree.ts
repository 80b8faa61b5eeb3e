import type { TreeNode, TreeValue } from "./postgres-grammar.js";
import { nameOf, namesIn } from "./postgres-names.js";
import { Selections, type Selection } from "./postgres-selections.js";

/** A table that a statement names, and what for. */
export interface NamedTable {
  /** Database, schema and name, as far as they are given. */
  readonly name: readonly string[];
  /** The statement within the tree that names it, such as `InsertStmt`. */
  readonly statement: string;
  /** Whether rows of it are changed; false: they are read, or it is defined. */
  readonly isTarget: boolean;
  readonly isTemporary: boolean;
}

/** Everything in a tree that is judged, in the order of the text as far as the tree keeps it. */
export interface TreeContents {
  readonly statements: readonly { readonly type: string; readonly node: TreeNode }[];
  readonly tables: readonly NamedTable[];
  /** Schema and name, or only the name, of each function called. */
  readonly functions: readonly (readonly string[])[];
  /** Schema and name, or only the name, of each operator. */
  readonly operators: readonly (readonly string[])[];
  /** Names behind a dot that may be those of functions. */
  readonly selections: readonly Selection[];
}

/**
 * Collects what a statement holds, at any depth. It walks without recursion. A node whose field
 * admits one type only stands there bare: those are told by the fields they have.
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
  /** The field or the type that the value stands under. */
  readonly field: string;
  /** The innermost statement around it. */
  readonly statement: string;
  /** Names that WITH gives there: they hide tables. */
  readonly scope: Scope | undefined;
}

/** What one WITH hides where it is in force, and what those around it do. */
interface Scope {
  /** Places of its queries by name, shared by all of them. */
  readonly names: ReadonlyMap<string, number>;
  /** How many of them, from the first on, are seen there. */
  readonly seen: number;
  readonly outer: Scope | undefined;
}

/** Fields begin with a small letter, types with a capital one. */
const STATEMENT_TYPE = /^[A-Z]\w*Stmt$/;
/** Fields under which a SELECT stands bare: the halves of a UNION. */
const SELECT_FIELDS: ReadonlySet<string> = new Set(["larg", "rarg"]);
/** The table that these change is in their field `relation`. */
const CHANGES: ReadonlySet<string> = new Set([
  "DeleteStmt",
  "InsertStmt",
  "MergeStmt",
  "UpdateStmt",
]);
/** These change, or let others change, all tables they name. */
const CHANGES_ALL: ReadonlySet<string> = new Set(["GrantStmt", "TruncateStmt"]);
/** What DROP, COMMENT and RENAME may be about, that is a table to us. */
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
    // What FOR UPDATE OF names stands in FROM, perhaps as an alias.
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

/** What a table is called after it is renamed, or moved to another schema. */
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
  // A trigger's function is called by the writes to its table, as its owner has decided.
  if (type !== "CreateTrigStmt" && node["funcname"] !== undefined) {
    found.functions.push(namesIn(node["funcname"]));
  }
  // Whoever is granted a function may call it.
  if (type === "ObjectWithArgs" && statement === "GrantStmt") {
    found.functions.push(namesIn(node["objname"]));
  }
  if (type === "RangeTableSample" && !isBuiltInSampling(namesIn(node["method"]))) {
    found.functions.push(namesIn(node["method"]));
  }
}

/** Expressions that have their keyword in place of an operator's name. */
const BETWEEN: ReadonlySet<unknown> = new Set([
  "AEXPR_BETWEEN",
  "AEXPR_BETWEEN_SYM",
  "AEXPR_NOT_BETWEEN",
  "AEXPR_NOT_BETWEEN_SYM",
]);

/** Those of expressions, of `x = ANY (SELECT …)` and of `ORDER BY x USING <`. */
function collectOperators(node: TreeNode, type: string, found: Found): void {
  if (BETWEEN.has(node["kind"])) return;
  const name = type === "A_Expr" ? node["name"] : (node["operName"] ?? node["useOp"]);
  if (name !== undefined) found.operators.push(namesIn(name));
}

function isBuiltInSampling(name: readonly string[]): boolean {
  return name.length === 1 && (name[0] === "bernoulli" || name[0] === "system");
}

/**
 * What the WITH of a node hides, in it and in each of its queries: without RECURSIVE a query sees
 * only those before it, so that `WITH t AS (SELECT * FROM t)` reads the table.
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

/** Whether WITH gives the name that stands where a table's could. */
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
