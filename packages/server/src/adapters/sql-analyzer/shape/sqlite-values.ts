import { type AstNode, childrenOf, type Stmt } from "@steward/schema/sqlite-syntax";

/** Statements whose values may vary within one shape. */
const WITH_VALUES: ReadonlySet<string> = new Set([
  ...["DeleteStmt", "InsertStmt", "SelectStmt", "UpdateStmt"],
]);
const LITERALS: ReadonlySet<string> = new Set([
  ...["BlobLiteral", "NumericLiteral", "StringLiteral"],
]);
/** Nodes whose direct literals are data: compared, computed with, stored or returned. */
const OF_VALUES: ReadonlySet<string> = new Set([
  ...["BetweenExpr", "BinaryExpr", "CaseExpr", "ExprResultColumn", "InListExpr", "LikeExpr"],
  ...["SetAssignment", "ValuesRow", "WhenThen"],
]);
/** Nodes that pass on what their parent says about them. */
const TRANSPARENT: ReadonlySet<string> = new Set([
  ...["CastExpr", "CollateExpr", "ParenthesizedExpr", "UnaryExpr"],
]);
/**
 * Nodes in which no literal is a value: an argument may choose what a function does, as the path of
 * `json_extract` does, and LIMIT chooses the number of rows. Neither is the query of a MATCH, which may name columns.
 */
const FIXED: ReadonlySet<string> = new Set([
  ...["FunctionCallExpr", "Limit", "TableCallSelectTable", "Type"],
]);
const COLUMNS: ReadonlySet<string> = new Set(["Id", "QualifiedExpr"]);
const LOGIC: ReadonlySet<string> = new Set(["And", "Or"]);
/** The right side names a member of a JSON value. */
const MEMBER: ReadonlySet<string> = new Set(["ArrowRight", "ArrowRightShift"]);

interface Visit {
  readonly node: AstNode;
  readonly isValue: boolean;
  /** Whether it is a part of a query within the statement. */
  readonly isQueried: boolean;
}

/**
 * Positions of the literals that are values, in UTF-16 units. Where a column is passed to a function or names a
 * member, it may be a column of a query within the statement, so that no literal of such a query is a value.
 */
export function sqliteValues(statement: Stmt): ReadonlySet<number> {
  const [found, queried] = [new Set<number>(), new Set<number>()];
  if (!WITH_VALUES.has(statement.type) || isCommand(statement)) return found;
  let passesColumn = false;
  const pending: Visit[] = [{ node: statement, isValue: false, isQueried: false }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { node } = visit;
    if (LITERALS.has(node.type)) {
      if (visit.isValue) (visit.isQueried ? queried : found).add(node.span.offset);
      continue;
    }
    const isValue = TRANSPARENT.has(node.type) ? visit.isValue : holdsValues(node);
    const isQueried = visit.isQueried || node.type === "Select";
    for (const child of childrenOf(node)) {
      if (isFixed(node, child)) passesColumn ||= hasColumn(node, child);
      else pending.push({ node: child, isValue, isQueried });
    }
  }
  return passesColumn ? found : new Set([...found, ...queried]);
}

/** A row whose column has its table's name is a command of a full-text index, such as 'delete-all'. */
function isCommand(statement: Stmt): boolean {
  if (statement.type !== "InsertStmt") return false;
  const table = statement.tblName.objName.text.toLowerCase();
  return statement.columns?.some(({ text }) => text.toLowerCase() === table) === true;
}

function isFixed(node: AstNode, child: AstNode): boolean {
  if (node.type === "BinaryExpr") return MEMBER.has(node.op) && child === node.right;
  return FIXED.has(node.type) || (node.type === "LikeExpr" && node.op === "Match");
}

function hasColumn(node: AstNode, child: AstNode): boolean {
  if (node.type === "FunctionCallExpr" && child === node.name) return false;
  const pending = [child];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    if (COLUMNS.has(each.type)) return true;
    pending.push(...childrenOf(each));
  }
  return false;
}

function holdsValues(node: AstNode): boolean {
  return OF_VALUES.has(node.type) && !(node.type === "BinaryExpr" && LOGIC.has(node.op));
}
