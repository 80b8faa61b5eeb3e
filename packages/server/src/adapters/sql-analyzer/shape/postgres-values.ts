import type { TreeNode, TreeValue } from "../postgres-grammar.js";
import { namesIn } from "../postgres-names.js";

/** Statements whose values may vary within one shape. */
const WITH_VALUES: ReadonlySet<string> = new Set([
  ...["DeleteStmt", "InsertStmt", "MergeStmt", "SelectStmt", "UpdateStmt"],
]);
/** Fields whose constants are data: computed with, stored or returned. */
const OF_VALUES: ReadonlySet<string> = new Set([
  ...["ResTarget.val", "RowExpr.args", "CoalesceExpr.args", "MinMaxExpr.args", "CaseExpr.arg"],
  ...["CaseExpr.defresult", "CaseWhen.expr", "CaseWhen.result", "MergeWhenClause.values"],
]);
/** Fields that pass on what their parent says about them. */
const TRANSPARENT: ReadonlySet<string> = new Set([
  ...["TypeCast.arg", "CollateClause.arg", "A_ArrayExpr.elements", "List.items"],
]);
/**
 * Nodes in which no constant is a value: an argument may choose what a function does, as the name of
 * `nextval` does.
 */
const FIXED: ReadonlySet<string> = new Set([
  ...["A_Indices", "FuncCall", "JsonFuncExpr", "TypeName", "XmlExpr"],
]);
/** LIMIT and OFFSET choose the number of rows. */
const FIXED_FIELDS: ReadonlySet<string> = new Set(["limitCount", "limitOffset"]);
/** Operators that compare and compute. Others may take the name of a member, as `->` does. */
const OF_DATA = /^(?:=|<>|[<>]=?|[-+*/%^]|\|\||!?~~?\*?|(?:NOT )?BETWEEN(?: SYMMETRIC)?)$/;

/** Queries whose columns the statement may use elsewhere. */
const QUERIES: ReadonlySet<string> = new Set(["CommonTableExpr", "InsertStmt", "RangeSubselect"]);

interface Visit {
  readonly value: TreeValue;
  /** Type of the node, or the field that holds it where the tree does not name the type. */
  readonly type: string;
  readonly isValue: boolean;
  /** Whether it is a part of one of {@link QUERIES}. */
  readonly isQueried: boolean;
  /** Whether no constant in it is a value. */
  readonly isFixed: boolean;
}

/**
 * Positions of the constants that are values, in UTF-16 units of the text. Where a column is passed to a function or
 * names a member, it may be a column of a query within the statement, so that no constant of such a query is a value.
 */
export function postgresValues(statement: TreeNode, sql: string): ReadonlySet<number> {
  const [type = ""] = Object.keys(statement);
  if (!WITH_VALUES.has(type)) return new Set();
  const [found, queried] = [new Set<number>(), new Set<number>()];
  let passesColumn = false;
  const pending: Visit[] = [
    { value: statement, type: "", isValue: false, isQueried: false, isFixed: false },
  ];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { value, isValue, isQueried, isFixed } = visit;
    if (Array.isArray(value)) {
      for (const item of value as readonly TreeValue[]) pending.push({ ...visit, value: item });
    } else if (typeof value === "object") {
      const node = value as TreeNode;
      passesColumn ||= isFixed && visit.type === "ColumnRef";
      // The parser leaves out a position of 0, at which no constant can be.
      if (visit.type !== "A_Const") pending.push(...within(node, visit));
      else if (isValue) (isQueried ? queried : found).add(node["location"] as number);
    }
  }
  return unitsAt(passesColumn ? found : new Set([...found, ...queried]), sql);
}

function within(node: TreeNode, { type, isValue, ...visit }: Visit): readonly Visit[] {
  const isQueried = visit.isQueried || QUERIES.has(type);
  const isFixed = visit.isFixed || FIXED.has(type) || (type === "TypeCast" && namesObject(node));
  const of = (value: TreeValue, child: string, isOf: boolean): Visit => ({
    ...{ value, type: child, isValue: isOf && !isFixed, isQueried, isFixed },
  });
  return Object.entries(node).flatMap(([field, value]) => {
    // A node's type is a field of its own, in the place of the node.
    if (/^[A-Z]/.test(field)) return [of(value, field, isValue)];
    if (FIXED_FIELDS.has(field)) return [];
    const place = `${type}.${field}`;
    if (field === "lexpr" || field === "rexpr") {
      const isData = OF_DATA.test(namesIn(node["name"]).join("."));
      const side = of(value, field, isData);
      return [isData || field === "lexpr" ? side : { ...side, isFixed: true }];
    }
    const isOf = field === "valuesLists" || OF_VALUES.has(place);
    return [of(value, field, isOf || (isValue && TRANSPARENT.has(place)))];
  });
}

/** Whether a text becomes the name of a table, a function or another object: `'orders'::regclass`. */
function namesObject(cast: TreeNode): boolean {
  const type = cast["typeName"] as TreeNode | undefined;
  return namesIn(type?.["names"]).at(-1)?.startsWith("reg") === true;
}

/** Converts positions from bytes of UTF-8 to UTF-16 units. */
function unitsAt(bytes: ReadonlySet<number>, sql: string): ReadonlySet<number> {
  const units = new Set<number>();
  let [unit, byte] = [0, 0];
  for (const at of [...bytes].sort((a, b) => a - b)) {
    for (; byte < at && unit < sql.length; unit += 1) {
      const code = sql.codePointAt(unit) ?? 0;
      byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (code >= 0x10000) unit += 1;
    }
    units.add(unit);
  }
  return units;
}
