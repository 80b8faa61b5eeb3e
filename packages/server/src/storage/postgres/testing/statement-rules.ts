import type { TreeNode, TreeValue } from "../../../adapters/sql-analyzer/postgres-grammar.js";

/** Facts about the schema that the rules need. */
export interface RuleContext {
  /** Tables that are distributed by organization. */
  readonly distributed: ReadonlySet<string>;
  /** Tables that every server has a copy of. */
  readonly replicated: ReadonlySet<string>;
  /** Tables that only the coordinator has. */
  readonly local: ReadonlySet<string>;
  /** Functions that are not immutable. */
  readonly mutable: ReadonlySet<string>;
  /** Those of them that are not even stable. */
  readonly volatile: ReadonlySet<string>;
  /** Whether the statement is in the body of a function. */
  readonly isInFunction: boolean;
}

const STATEMENTS = ["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt"] as const;
const CHANGES: ReadonlySet<string> = new Set(["InsertStmt", "UpdateStmt", "DeleteStmt"]);
/** Transaction ids are meaningless across a cluster, because each server has its own. */
const TRANSACTION_IDS =
  /^(pg_current_(xact|snapshot)|pg_(visible|snapshot)|txid_|pg_xact|xmin|xid)/;
/** The parameter of a function that holds the organization. */
const ORGANIZATION_VARIABLE = /^p_org(_id)?$/;

/**
 * Constructs of a statement that a Citus cluster refuses, or executes on every shard
 * (docs/scale-out.md).
 * @param statement from the grammar: its type, with its fields below.
 */
export function brokenRules(statement: TreeNode, context: RuleContext): readonly string[] {
  const broken = new Set<string>();
  const isChange = Object.keys(statement).some((type) => CHANGES.has(type));
  walk(statement, [], (type, node, path) => {
    if (CHANGES.has(type)) for (const rule of brokenByChange(type, node, context)) broken.add(rule);
    if (isOneOf(STATEMENTS, type)) {
      for (const pair of mixedTables(node, context)) broken.add(pair);
      for (const table of unboundTables(type, node, context)) broken.add(`all shards: ${table}`);
    }
    if (isChange && ["CaseExpr", "CoalesceExpr", "MinMaxExpr"].includes(type)) {
      const called = functionsIn(node).filter((name) => context.mutable.has(name));
      for (const name of called) broken.add(`${name}() inside of ${type}`);
    }
    if (type === "RangeSubselect" && selectOf(node)["targetList"] === undefined) {
      broken.add("a subquery without columns in FROM");
    }
    if (type === "InsertStmt" && context.isInFunction && nodeAt(node, "selectStmt") !== undefined) {
      if (selectOf(node)["valuesLists"] === undefined) broken.add("INSERT … SELECT in a function");
    }
    if (type !== "FuncCall") return;
    const [name = ""] = functionsIn({ FuncCall: node });
    if (name === "clock_timestamp") broken.add("clock_timestamp()");
    if (TRANSACTION_IDS.test(name)) broken.add(`transaction ids: ${name}()`);
    const isNested = context.isInFunction || path.includes("CommonTableExpr");
    if (name === "pg_notify" && isNested) broken.add("pg_notify() that is not at the top");
  });
  return [...broken].sort();
}

/** What a change may not do, whichever table it changes, and what it may not do to a copied or a local table. */
function brokenByChange(type: string, node: TreeNode, context: RuleContext): readonly string[] {
  const table = textAt(nodeAt(node, "relation"), "relname");
  const broken: string[] = [];
  const conflict = nodeAt(node, "onConflictClause");
  for (const name of conflict === undefined ? [] : functionsIn(conflict)) {
    if (context.mutable.has(name)) broken.push(`${name}() in DO UPDATE`);
  }
  for (const name of context.isInFunction ? [] : functionsIn(node)) {
    if (context.volatile.has(name)) broken.push(`${name}() in a change`);
  }
  if (!context.distributed.has(table)) {
    const named = tablesIn(node).filter((name) => context.distributed.has(name));
    for (const name of named) broken.push(`a change of ${table} names ${name}`);
  }
  if (context.replicated.has(table)) {
    walk(node, [], (inner, child) => {
      const isCut = inner === "SelectStmt" && child["limitCount"] !== undefined;
      if (isCut || inner === "LockingClause")
        broken.push(`each copy of ${table} picks its own rows`);
    });
  }
  if (context.isInFunction && type !== "InsertStmt") {
    for (const clause of ["fromClause", "usingClause"]) {
      const isArray = functionsIn(node[clause] ?? []).includes("unnest");
      if (isArray) broken.push(`a change of ${table} joined with unnest()`);
    }
  }
  return broken;
}

/** Tables on the coordinator that one query, without its subqueries, reads together with distributed ones. */
function mixedTables(node: TreeNode, context: RuleContext): readonly string[] {
  const tables: string[] = [];
  for (const clause of ["fromClause", "usingClause"]) {
    walkLevel(node[clause], (type, child) => {
      if (type === "RangeVar") tables.push(textAt(child, "relname"));
    });
  }
  if (!tables.some((name) => context.distributed.has(name))) return [];
  return tables
    .filter((name) => context.local.has(name))
    .map((name) => `joined with distributed tables: ${name}`);
}

function tablesIn(value: TreeValue): readonly string[] {
  const found: string[] = [];
  walk(value, [], (type, node) => {
    if (type === "RangeVar") found.push(textAt(node, "relname"));
  });
  return found;
}

/** Whether a statement locks rows. */
export function locksRows(statement: TreeNode): boolean {
  let found = false;
  walk(statement, [], (type) => (found ||= type === "LockingClause"));
  return found;
}

/** The statements in the body of a function in PL/pgSQL, each as SQL. */
export function statementsOf(body: string): readonly string[] {
  const starts = /(?<=^|;|BEGIN|THEN|LOOP)\s*(INSERT INTO|UPDATE|DELETE FROM|SELECT)\b[^;]*/g;
  const withoutComments = body.replaceAll(/--[^\n]*/g, "");
  return [...withoutComments.matchAll(starts)].map(([text]) => text.trim());
}

/**
 * Distributed tables of one query, without its subqueries, that no parameter restricts to an
 * organization.
 */
function unboundTables(type: string, node: TreeNode, context: RuleContext): readonly string[] {
  const tables = new Map<string, string>();
  const bound = new Set<string>();
  const look = (value: TreeValue | undefined): void => {
    walkLevel(value, (childType, child) => {
      if (childType === "RangeVar") {
        const name = textAt(child, "relname");
        const alias = textAt(nodeAt(child, "alias"), "aliasname") || name;
        if (context.distributed.has(name)) tables.set(alias, name);
      }
      const column = childType === "A_Expr" ? boundColumn(child) : undefined;
      if (column !== undefined) bound.add(column);
    });
  };
  if (type === "InsertStmt") {
    const name = textAt(nodeAt(node, "relation"), "relname");
    return context.distributed.has(name) && !insertsParameter(node) ? [name] : [];
  }
  const relation = nodeAt(node, "relation");
  if (relation !== undefined) look({ RangeVar: relation });
  for (const clause of ["fromClause", "usingClause", "whereClause"]) look(node[clause]);
  const isOnly = tables.size === 1;
  return [...tables].flatMap(([alias, name]) =>
    bound.has(alias) || (isOnly && bound.has("")) ? [] : [name],
  );
}

/** The table of a condition `org_id = $n`; "" when the condition names none. */
function boundColumn(expression: TreeNode): string | undefined {
  if (names(expression["name"]).join() !== "=") return undefined;
  const sides = [nodeAt(expression, "lexpr"), nodeAt(expression, "rexpr")];
  if (expression["kind"] !== "AEXPR_OP" || !sides.some(isParameter)) return undefined;
  const column = sides.find((side) => !isParameter(side));
  const path = names(nodeAt(column, "ColumnRef")?.["fields"]);
  return path.at(-1) === "org_id" ? (path.at(-2) ?? "") : undefined;
}

/** Whether the first column of an insert is the organization, given by a parameter. */
function insertsParameter(insert: TreeNode): boolean {
  const [first] = list(insert["cols"]);
  if (nodeAt(first, "ResTarget")?.["name"] !== "org_id") return false;
  const select = selectOf(insert);
  const rows = list(select["valuesLists"]).map((row) => list(nodeAt(row, "List")?.["items"])[0]);
  const target = nodeAt(list(select["targetList"])[0], "ResTarget");
  const values = rows.length > 0 ? rows : [nodeAt(target, "val")];
  return values.every(isParameter);
}

function isParameter(value: TreeValue | undefined): boolean {
  const cast = nodeAt(value, "TypeCast");
  if (cast !== undefined) return isParameter(cast["arg"]);
  if (nodeAt(value, "ParamRef") !== undefined) return true;
  const path = names(nodeAt(value, "ColumnRef")?.["fields"]);
  return path.length === 1 && ORGANIZATION_VARIABLE.test(path[0] ?? "");
}

function functionsIn(value: TreeValue): readonly string[] {
  const found: string[] = [];
  walk(value, [], (type, node) => {
    if (type === "FuncCall") found.push(names(node["funcname"]).at(-1) ?? "");
  });
  return found;
}

function selectOf(node: TreeNode): TreeNode {
  const field = nodeAt(node, "selectStmt") ?? nodeAt(node, "subquery");
  return nodeAt(field, "SelectStmt") ?? {};
}

function names(value: TreeValue | undefined): readonly string[] {
  return list(value).map((item) => textAt(nodeAt(item, "String"), "sval"));
}

function list(value: TreeValue | undefined): readonly TreeValue[] {
  return isList(value) ? value : [];
}

function nodeAt(value: TreeValue | undefined, field: string): TreeNode | undefined {
  if (!isNode(value)) return undefined;
  const child = value[field];
  return isNode(child) ? child : undefined;
}

function textAt(node: TreeNode | undefined, field: string): string {
  const value = node?.[field];
  return typeof value === "string" ? value : "";
}

function isList(value: TreeValue | undefined): value is readonly TreeValue[] {
  return Array.isArray(value);
}

function isNode(value: TreeValue | undefined): value is TreeNode {
  return typeof value === "object" && !isList(value);
}

function isOneOf<T extends string>(all: readonly T[], value: string): value is T {
  return all.some((each) => each === value);
}

type Visit = (type: string, node: TreeNode, path: readonly string[]) => void;

function walk(value: TreeValue | undefined, path: readonly string[], visit: Visit): void {
  if (isList(value)) for (const item of value) walk(item, path, visit);
  if (!isNode(value)) return;
  for (const [type, child] of Object.entries(value)) {
    if (isNode(child)) visit(type, child, path);
    walk(child, [...path, type], visit);
  }
}

/** Like `walk`, without entering other queries. */
function walkLevel(
  value: TreeValue | undefined,
  visit: (type: string, node: TreeNode) => void,
): void {
  if (isList(value)) for (const item of value) walkLevel(item, visit);
  if (!isNode(value)) return;
  for (const [type, child] of Object.entries(value)) {
    if (isOneOf(STATEMENTS, type)) continue;
    if (isNode(child)) visit(type, child);
    walkLevel(child, visit);
  }
}
