import type { ParsedText, SqlSyntax } from "@steward/schema/sql";
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
    const parsed = this.#grammar.parse(sql);
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

/** The number of UTF-16 units in the first characters of a text. */
function unitsBefore(sql: string, characters: number): number {
  return [...sql].slice(0, characters).join("").length;
}
