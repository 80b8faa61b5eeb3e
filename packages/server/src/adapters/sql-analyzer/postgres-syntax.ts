import { type ParsedText, type SqlSyntax, tokensOf } from "@steward/schema/sql";
import { PostgresGrammar, type TreeNode } from "./postgres-grammar.js";
import { contentsOf, type TreeContents } from "./postgres-tree.js";

/** PostgreSQL 18's own grammar, by `libpg-query`. */
export class PostgresSyntax implements SqlSyntax<TreeNode> {
  readonly #grammar: PostgresGrammar;
  /** Contents of the statements in use: their tables and their class are asked for separately. */
  readonly #contents = new WeakMap<TreeNode, TreeContents>();

  private constructor(grammar: PostgresGrammar) {
    this.#grammar = grammar;
  }

  static async load(): Promise<PostgresSyntax> {
    return new PostgresSyntax(await PostgresGrammar.load());
  }

  get isReady(): boolean {
    return this.#grammar.isReady;
  }

  parse(sql: string): ParsedText<TreeNode> {
    const parsed = this.#grammar.parse(LONG_RUN.test(sql) ? withBlankComments(sql) : sql);
    if (parsed.kind !== "syntax_error") return parsed;
    return { ...parsed, at: unitsBefore(sql, parsed.at) };
  }

  tables(statement: TreeNode): readonly string[] {
    const names = this.contents(statement).tables.map(({ name }) => name.join("."));
    return [...new Set(names)];
  }

  /** Everything in a statement that is judged. */
  contents(statement: TreeNode): TreeContents {
    const known = this.#contents.get(statement);
    if (known !== undefined) return known;
    const contents = contentsOf(statement);
    this.#contents.set(statement, contents);
    return contents;
  }
}

/**
 * PostgreSQL's scanner reads to the end of a run of these characters whenever a comment begins in
 * it, so that a run of many short comments takes quadratic time. Ordinary texts have no long runs.
 */
const LONG_RUN = /[~!@#^&|`?+\-*/%<>=]{200}/;
const OPERATOR_CHARACTERS = /[~!@#^&|`?+\-*/%<>=]/g;

/** The text with its block comments made blank; everything else stays at its place, in bytes too. */
function withBlankComments(sql: string): string {
  let blank = "";
  let at = 0;
  for (const { type, start, text, isClosed } of tokensOf(sql, "postgres")) {
    if (type !== "comment" || !isClosed || !text.startsWith("/*")) continue;
    blank += sql.slice(at, start) + blankComment(text);
    at = start + text.length;
  }
  return blank + sql.slice(at);
}

function blankComment(comment: string): string {
  // Only characters of one byte have a blank of the same length.
  if (Buffer.byteLength(comment) === comment.length) return " ".repeat(comment.length);
  return `/*${comment.slice(2, -2).replaceAll(OPERATOR_CHARACTERS, " ")}*/`;
}

/** The number of UTF-16 units in the first characters of a text. */
function unitsBefore(sql: string, characters: number): number {
  return [...sql].slice(0, characters).join("").length;
}
