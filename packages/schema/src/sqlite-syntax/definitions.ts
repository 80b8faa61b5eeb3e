import type {
  ColumnConstraint,
  ColumnDefinition,
  CreateIndexStmt,
  CreateTableStmt,
  CreateTriggerStmt,
  CreateViewStmt,
  CreateVirtualTableStmt,
  DeferSubclause,
  ForeignKeyClause,
  ForeignKeyTableConstraint,
  RefAct,
  ResolveType,
  SortedColumn,
  TableConstraint,
  TriggerTime,
} from "sqlite3-parser";
import { isSign, isWord, nextToken, type Token, tokensOf } from "../sql/sql-tokens.js";
import { TokenReader } from "../sql/token-reader.js";
import type {
  ParsedColumn,
  ParsedConstraint,
  ParsedIndex,
  ParsedPart,
  ParsedTable,
  ParsedTrigger,
  ParsedView,
  ParsedVirtualTable,
} from "../sqlite/catalog-syntax.js";
import { spell } from "../sqlite/expression.js";

/** The parser's flags of a table. The package exports their type, but not their values. */
const WITHOUT_ROWID = 0x80;
const STRICT = 0x1_0000;

/**
 * The definition in a CREATE TABLE statement; undefined for one without columns. The tree tells what
 * there is and where. The text of types and expressions is that of the statement, because the tree
 * does not keep how they were written.
 */
export function tableDefinition(sql: string, { body }: CreateTableStmt): ParsedTable | undefined {
  if (body.type !== "ColumnsAndConstraintsCreateTableBody") return undefined;
  const constraints: ParsedConstraint[] = [];
  const columns = body.columns.map((column) => columnOf(sql, column, constraints));
  for (const { name, constraint } of body.constraints ?? []) {
    const label = name === undefined ? {} : { name: name.text };
    constraints.push({ ...constraintOf(sql, constraint), ...label });
  }
  return {
    columns,
    constraints,
    isStrict: (body.flags & STRICT) !== 0,
    isWithoutRowid: (body.flags & WITHOUT_ROWID) !== 0,
  };
}

/** The definition in a CREATE INDEX statement. */
export function indexDefinition(sql: string, statement: CreateIndexStmt): ParsedIndex {
  const { unique: isUnique, columns, whereClause } = statement;
  const parts = columns.map((column) => partOf(sql, column));
  if (whereClause === undefined) return { isUnique, parts };
  return { isUnique, parts, where: spell(tokensOf(sql.slice(whereClause.span.offset))) };
}

/** The definition in a CREATE VIEW statement. */
export function viewDefinition(sql: string, { columns, select }: CreateViewStmt): ParsedView {
  const definition = spell(tokensOf(sql.slice(select.span.offset)));
  const [first] = columns ?? [];
  if (first === undefined) return { definition };
  const end = Math.max(...(columns ?? []).map(endOf));
  return { definition, columnNames: spell(tokensOf(sql.slice(first.span.offset, end))) };
}

/** The definition in a CREATE TRIGGER statement. */
export function triggerDefinition(sql: string, statement: CreateTriggerStmt): ParsedTrigger {
  const { time, event, tblName, whenClause } = statement;
  const body = new TokenReader(tokensOf(sql.slice(endOf(whenClause ?? tblName))));
  body.until((token) => isWord(token, "BEGIN"));
  return {
    timing: time === undefined ? "before" : TIMINGS[time],
    event: textAt(sql, event),
    ...(whenClause === undefined ? {} : { when: textAt(sql, whenClause) }),
    body: spell(body.rest()),
  };
}

const TIMINGS: Readonly<Record<TriggerTime, ParsedTrigger["timing"]>> = {
  Before: "before",
  After: "after",
  InsteadOf: "instead of",
};

/** The definition in a CREATE VIRTUAL TABLE statement. */
export function virtualTableDefinition(
  sql: string,
  { moduleName }: CreateVirtualTableStmt,
): ParsedVirtualTable {
  return { definition: spell(tokensOf(sql.slice(moduleName.span.offset))) };
}

function textAt(sql: string, node: Pick<CreateViewStmt, "span">): string {
  return spell(tokensOf(sql.slice(node.span.offset, endOf(node))));
}

function endOf({ span }: Pick<CreateViewStmt, "span">): number {
  return span.offset + span.length;
}

/** @param constraints of the table, to which those at the column are added. */
function columnOf(
  sql: string,
  { colName: { text: name }, colType, constraints: own }: ColumnDefinition,
  constraints: ParsedConstraint[],
): ParsedColumn {
  const type = colType === undefined ? "" : typeAt(sql, colType.span.offset);
  let column: ParsedColumn = { name, type };
  for (const { name: labelName, constraint } of own) {
    const label = labelName === undefined ? {} : { name: labelName.text };
    const { offset } = constraint.span;
    switch (constraint.type) {
      case "NotNullColumnConstraint":
        if (constraint.nullable) break;
        column = { ...column, notNull: { ...label, ...conflictOf(constraint.conflictClause) } };
        break;
      case "DefaultColumnConstraint":
        column = { ...column, default: defaultAt(sql, offset) };
        break;
      case "CollateColumnConstraint":
        column = { ...column, collation: constraint.collationName.text };
        break;
      case "GeneratedColumnConstraint": {
        const storage = constraint.typ?.name.toLowerCase() ?? "virtual";
        column = { ...column, generated: { expression: parenthesizedAt(sql, offset), storage } };
        break;
      }
      case "DeferColumnConstraint":
        deferLast(constraints, constraint.clause);
        break;
      default:
        constraints.push({ ...constraintOf(sql, constraint, name), ...label });
    }
  }
  return column;
}

type KeyConstraint = Extract<
  ColumnConstraint | TableConstraint,
  { readonly type: `${"PrimaryKey" | "Unique"}${string}` }
>;
type ForeignKey = Pick<ForeignKeyTableConstraint, "clause" | "deferClause">;
/** The constraints that a schema keeps as objects of their own. */
type KeyOrCheck = Exclude<
  ColumnConstraint | TableConstraint,
  {
    readonly type: `${"NotNull" | "Default" | "Collate" | "Generated" | "Defer"}ColumnConstraint`;
  }
>;

/** @param column the column that a column constraint belongs to. */
function constraintOf(sql: string, constraint: KeyOrCheck, column = ""): ParsedConstraint {
  switch (constraint.type) {
    case "PrimaryKeyColumnConstraint":
    case "UniqueColumnConstraint": {
      const isDescending = "order" in constraint && constraint.order === "Desc";
      return keyOf(constraint, [{ column, expression: column, isDescending }]);
    }
    case "PrimaryKeyTableConstraint":
    case "UniqueTableConstraint":
      return keyOf(
        constraint,
        constraint.columns.map((each) => partOf(sql, each)),
      );
    case "CheckColumnConstraint": {
      const expression = parenthesizedAt(sql, constraint.span.offset);
      return { kind: "check", expression, statedAt: column };
    }
    case "CheckTableConstraint": {
      const expression = parenthesizedAt(sql, constraint.span.offset);
      return { kind: "check", expression, ...conflictOf(constraint.conflictClause) };
    }
    case "ForeignKeyColumnConstraint":
      return foreignKeyOf(constraint, [column]);
    case "ForeignKeyTableConstraint":
      return foreignKeyOf(
        constraint,
        constraint.columns.map(({ colName }) => colName.text),
      );
  }
}

function keyOf(
  { type, conflictClause, ...flags }: KeyConstraint,
  columns: readonly ParsedPart[],
): ParsedConstraint {
  const kind = type.startsWith("PrimaryKey") ? "primary" : "unique";
  const isAutoincrement = "autoIncrement" in flags && flags.autoIncrement;
  return { kind, columns, isAutoincrement, ...conflictOf(conflictClause) };
}

function foreignKeyOf(
  { clause, deferClause }: ForeignKey,
  columns: readonly string[],
): ParsedConstraint {
  const [onDelete, onUpdate] = [ruleOf(clause, "OnDelete"), ruleOf(clause, "OnUpdate")];
  const match = clause.args.findLast((arg) => arg.type === "MatchRefArg")?.name.text.toLowerCase();
  const rules = {
    ...(onDelete === undefined ? {} : { onDelete }),
    ...(onUpdate === undefined ? {} : { onUpdate }),
    ...(match === undefined || match === "simple" ? {} : { match }),
  };
  const targets = (clause.columns ?? []).map(({ colName }) => colName.text);
  const key = { kind: "foreign", columns, table: clause.tblName.text, targets, ...rules } as const;
  return isDeferred(deferClause) ? { ...key, deferrable: "deferred" } : key;
}

/** The action of a foreign key at an event. Of several clauses, SQLite applies the last. */
function ruleOf({ args }: ForeignKeyClause, event: "OnDelete" | "OnUpdate"): string | undefined {
  const last = args.findLast((arg) => arg.type === `${event}RefArg`);
  return last !== undefined && "action" in last ? ACTIONS[last.action] : undefined;
}

const ACTIONS: Readonly<Record<RefAct, string | undefined>> = {
  SetNull: "set null",
  SetDefault: "set default",
  Cascade: "cascade",
  Restrict: "restrict",
  NoAction: undefined,
};

/** At a column, DEFERRABLE is a constraint of its own and concerns the foreign key before it. */
function deferLast(constraints: ParsedConstraint[], clause: DeferSubclause): void {
  const last = constraints.findLastIndex(({ kind }) => kind === "foreign");
  const key = constraints[last];
  if (key?.kind !== "foreign" || !isDeferred(clause)) return;
  constraints[last] = { ...key, deferrable: "deferred" };
}

/** In SQLite, DEFERRABLE has an effect only with INITIALLY DEFERRED. */
function isDeferred(clause: DeferSubclause | undefined): boolean {
  return clause?.deferrable === true && clause.initDeferred === "InitiallyDeferred";
}

function conflictOf(clause: ResolveType | undefined): { readonly conflict?: string } {
  return clause === undefined || clause === "Abort" ? {} : { conflict: clause.toLowerCase() };
}

/**
 * A column or expression of a key or an index. A collation behind the expression counts as the
 * part's own, as in the schemas recorded so far, also where SQLite applies it to the last operand.
 */
function partOf(sql: string, { expr, order }: SortedColumn): ParsedPart {
  const tokens = elementAt(sql, expr.span.offset).until((token) => isWord(token, "AUTOINCREMENT"));
  const ordered = order === undefined ? tokens : tokens.slice(0, -1);
  const isCollated = isWord(ordered.at(-2), "COLLATE");
  const bare = isCollated ? ordered.slice(0, -2) : ordered;
  const [only] = bare;
  const isColumn = bare.length === 1 && only?.type !== "number";
  return {
    ...(isColumn ? { column: unquoted(only) } : {}),
    expression: spell(bare),
    ...(isCollated ? { collation: unquoted(ordered.at(-1)) } : {}),
    isDescending: order === "Desc",
  };
}

/** The type of a column. To the parser, GENERATED ALWAYS belongs to the type before it. */
function typeAt(sql: string, offset: number): string {
  return spell(elementAt(sql, offset).until((token) => isWord(token, ...TYPE_ENDS)));
}

/** Words that begin a constraint of a column. */
const TYPE_ENDS = [
  ...["CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE"],
  ...["REFERENCES", "DEFERRABLE", "GENERATED", "AS"],
];

function defaultAt(sql: string, offset: number): string {
  const reader = elementAt(sql, offset);
  reader.takeWords("DEFAULT");
  if (isSign(reader.peek(), "(")) return `(${spell(reader.parenthesized())})`;
  const first = reader.next();
  if (isSign(first, "-") || isSign(first, "+")) return `${first.text}${reader.next().text}`;
  // SQLite treats a default that is a quoted name as a string.
  if (first.type === "name") return `'${first.value.replaceAll("'", "''")}'`;
  return first.type === "word" ? first.text.toUpperCase() : first.text;
}

/** The content of the first parentheses after a position. */
function parenthesizedAt(sql: string, offset: number): string {
  const reader = elementAt(sql, offset);
  reader.until((token) => isSign(token, "("));
  return spell(reader.parenthesized());
}

/** The rest of an element of a list: up to a comma, or the list's closing parenthesis. */
function elementAt(sql: string, offset: number): TokenReader {
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = offset; ;) {
    const token = nextToken(sql, at, "sqlite");
    const isEnd = depth === 0 && (isSign(token, ",") || isSign(token, ")"));
    if (token === undefined || isEnd) return new TokenReader(tokens);
    if (isSign(token, "(")) depth += 1;
    if (isSign(token, ")")) depth -= 1;
    tokens.push(token);
    at = token.start + token.text.length;
  }
}

/** SQLite accepts a string where it expects a name. */
function unquoted(token: Token | undefined): string {
  if (token === undefined) return "";
  return token.type === "string" ? token.text.slice(1, -1).replaceAll("''", "'") : token.value;
}
