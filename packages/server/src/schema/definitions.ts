import type { RenameHint } from "./identify.js";
import type { Dialect } from "./schema.js";
import { isSign, isWord, type Token, tokensOf } from "./sql-tokens.js";
import { piecesOf } from "./wanted/statement-reader.js";

/** Objects of a table that `-- @renamed from=old` may stand in. */
const KINDS: Readonly<Record<string, RenameHint["kind"]>> = {
  TABLE: "Table",
  INDEX: "Index",
  VIEW: "View",
  TRIGGER: "Trigger",
  TYPE: "Type",
};

/**
 * The hints that stand in a schema as comments: `-- @renamed from=old`, behind the name of a table,
 * an index or a view, or in a column's definition or behind its comma.
 */
export function renameHints(sql: string, dialect: Dialect): readonly RenameHint[] {
  return [...piecesOf(sql, dialect)].flatMap((piece) => hintsIn(piece?.tokens ?? []));
}

/** The hints that stand in the comments of one statement. */
export function hintsIn(tokens: readonly Token[]): readonly RenameHint[] {
  const code = tokens.filter(({ type }) => type !== "comment");
  const at = code.findIndex((token) => isWord(token, ...Object.keys(KINDS)));
  const kind = KINDS[code[at]?.text.toUpperCase() ?? ""];
  const name = ownName(code, at + 1);
  if (kind === undefined || name === undefined) return [];
  return tokens.flatMap((comment) => {
    const from = renamedFrom(comment);
    if (from === undefined) return [];
    const column = kind === "Table" ? columnBefore(code, comment) : undefined;
    if (column === undefined) return [{ kind, from, to: name }];
    return [{ kind: "Column" as const, table: name, from, to: column }];
  });
}

function renamedFrom({ type, text }: Token): string | undefined {
  if (type !== "comment") return undefined;
  const match = /@renamed\s+from=("(?:[^"]|"")+"|[^\s*]+)/.exec(text)?.[1];
  return match === undefined ? undefined : tokensOf(match)[0]?.value;
}

/** The last part of the name that a statement begins with. */
function ownName(code: readonly Token[], from: number): string | undefined {
  let at = from;
  while (isWord(code[at], "IF", "NOT", "EXISTS", "CONCURRENTLY")) at += 1;
  while (isSign(code[at + 1], ".")) at += 2;
  return code[at]?.value;
}

/** The column in whose definition, or behind whose comma, a comment stands; undefined for neither. */
function columnBefore(code: readonly Token[], comment: Token): string | undefined {
  let depth = 0;
  let column: string | undefined;
  let isStart = false;
  for (const token of code) {
    if (token.start > comment.start) break;
    if (isStart) column = token.value;
    isStart = (isSign(token, "(") && depth === 0) || (isSign(token, ",") && depth === 1);
    if (isSign(token, "(")) depth += 1;
    if (isSign(token, ")")) depth -= 1;
  }
  return depth === 1 ? column : undefined;
}
