import { AppError } from "@steward/kernel/errors.js";
import type { HintedKind, RenameHint } from "../model/identify.js";
import type { Dialect } from "../model/schema.js";
import { isSign, isWord, type Token, tokensOf } from "../sql/sql-tokens.js";
import { isHint, piecesOf } from "./statement-reader.js";

/** The kind of object that a CREATE statement defines, for kinds that rename hints support. */
const KINDS: Readonly<Record<string, HintedKind>> = {
  SCHEMA: "Schema",
  TABLE: "Table",
  INDEX: "Index",
  VIEW: "View",
  TRIGGER: "Trigger",
  TYPE: "Type",
  DOMAIN: "Type",
  SEQUENCE: "Sequence",
};
/** Kinds that PostgreSQL can move to another schema. */
const MOVABLE: ReadonlySet<string> = new Set(["Table", "View", "Type", "Sequence"]);
/** Keywords that may stand between CREATE and the keyword of the object's kind. */
const MODIFIERS = [
  ...["CREATE", "OR", "REPLACE", "TEMP", "TEMPORARY", "GLOBAL", "LOCAL", "UNLOGGED", "UNIQUE"],
  ...["MATERIALIZED", "RECURSIVE", "FOREIGN", "VIRTUAL", "CONSTRAINT"],
];
/** Keywords that begin an unnamed element of a table. */
const NAMELESS = ["PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "EXCLUDE", "LIKE"];

/** A name in a hint, optionally quoted. */
const NAME = String.raw`"(?:[^"]|"")+"|[^\s*."]+`;
const HINT = new RegExp(`@renamed\\s+from=(${NAME})(?:\\.(${NAME}))?(?=\\s|\\*|$)`);

/**
 * The rename hints in the comments of a schema: `-- @renamed from=old`. A hint stands after the
 * name of a table, an index or a view, or in a column's definition or after the comma that ends it.
 * `from=schema.old` names an object that was in another schema.
 */
export function renameHints(sql: string, dialect: Dialect): readonly RenameHint[] {
  return [...piecesOf(sql, dialect)].flatMap((piece) => hintsIn(piece?.tokens ?? [], dialect));
}

/**
 * The rename hints in the comments of one statement.
 * @throws AppError `INVALID_ARGUMENT` for a hint where it has no effect.
 */
export function hintsIn(tokens: readonly Token[], dialect: Dialect): readonly RenameHint[] {
  const comments = tokens.filter(isHint);
  if (comments.length === 0) return [];
  const code = tokens.filter(({ type }) => type !== "comment");
  return comments.map((comment) => hintIn(code, comment, dialect));
}

function hintIn(code: readonly Token[], comment: Token, dialect: Dialect): RenameHint {
  const before = formerName(comment, dialect);
  const at = code.findIndex((token) => !isWord(token, ...MODIFIERS));
  const word = code[at]?.text.toUpperCase();
  const kind = isWord(code[0], "CREATE") && word !== undefined ? KINDS[word] : undefined;
  const name = ownName(code, at + 1);
  if (kind === undefined || name === undefined) {
    throw misplaced(comment, "it must stand in the CREATE statement of a schema, table, view, …");
  }
  const column = kind === "Table" || kind === "Type" ? elementAt(code, comment) : undefined;
  const isMoved = before.fromSchema !== undefined;
  if (isMoved && (!MOVABLE.has(kind) || column !== undefined || dialect === "sqlite")) {
    throw misplaced(comment, "only a table, view, type or sequence can come from another schema");
  }
  if (column === undefined) return { kind, ...before, ...name };
  if (kind === "Type" || isWord(column, ...NAMELESS)) {
    throw misplaced(
      comment,
      "a value or an attribute of a type has no rename hints, nor has a constraint without a name",
    );
  }
  const { to: table, ...place } = name;
  const { from } = before;
  if (!isWord(column, "CONSTRAINT"))
    return { kind: "Column", table, ...place, from, to: column.value };
  const constraint = code[code.indexOf(column) + 1];
  if (constraint === undefined) throw misplaced(comment, "CONSTRAINT is not followed by a name");
  return { kind: "Constraint", table, ...place, from, to: constraint.value };
}

function misplaced({ text }: Token, reason: string): AppError {
  const hint = text.replaceAll(/\s+/g, " ").trim();
  return new AppError(
    "INVALID_ARGUMENT",
    `the rename hint has no effect here: ${reason}. Move or remove it: ${hint}`,
  );
}

type FormerName = Pick<RenameHint, "from" | "fromSchema">;

function formerName(comment: Token, dialect: Dialect): FormerName {
  const match = HINT.exec(comment.text);
  const [first, second] = [match?.[1], match?.[2]].map((name) => nameOf(name, dialect));
  if (first === undefined) throw misplaced(comment, "it is written -- @renamed from=OLD_NAME");
  return second === undefined ? { from: first } : { from: second, fromSchema: first };
}

/** A name as the engine reads it. PostgreSQL folds unquoted names to lower case. */
function nameOf(written: string | undefined, dialect: Dialect): string | undefined {
  if (written === undefined) return undefined;
  if (written.startsWith('"')) return tokensOf(written, dialect)[0]?.value;
  return dialect === "postgres" ? written.toLowerCase() : written;
}

/** The name that a CREATE statement defines, with its schema if given. */
function ownName(
  code: readonly Token[],
  from: number,
): Pick<RenameHint, "schema" | "to"> | undefined {
  let at = from;
  while (isWord(code[at], "IF", "NOT", "EXISTS", "CONCURRENTLY")) at += 1;
  let schema: string | undefined;
  for (; isSign(code[at + 1], "."); at += 2) schema = code[at]?.value;
  const to = code[at]?.value;
  if (to === undefined) return undefined;
  return schema === undefined ? { to } : { schema, to };
}

/**
 * The first token of the column or constraint that a comment belongs to. A comment after a comma
 * belongs to the definition before the comma.
 */
function elementAt(code: readonly Token[], comment: Token): Token | undefined {
  let depth = 0;
  let element: Token | undefined;
  let isStart = false;
  for (const token of code) {
    if (token.start > comment.start) break;
    if (isStart) element = token;
    isStart = (isSign(token, "(") && depth === 0) || (isSign(token, ",") && depth === 1);
    if (isSign(token, "(")) depth += 1;
    if (isSign(token, ")")) depth -= 1;
  }
  return depth >= 1 ? element : undefined;
}
