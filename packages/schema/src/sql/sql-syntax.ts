/** A text as statements, or the reason why it has none. */
export type ParsedText<Statement> =
  | { readonly kind: "parsed"; readonly statements: readonly Statement[] }
  | {
      readonly kind: "syntax_error";
      readonly message: string;
      /** Where the parser stopped, in UTF-16 units. */
      readonly at: number;
      /** The parser's own advice. */
      readonly hint?: string;
    }
  /** The nesting exceeds the parser's stack, or the text its memory. */
  | { readonly kind: "too_deep" };

/**
 * The grammar of one SQL dialect, as its engine defines it. Pure: no database is asked. Tokens are
 * read without it, by `tokensOf`.
 * @typeParam Statement the syntax tree of one statement.
 */
export interface SqlSyntax<Statement> {
  /** False when texts have broken every parser within one turn of the event loop. */
  readonly isReady: boolean;

  /**
   * Parses a text, while the parser is ready. Never throws for any text.
   * @param sql without NUL characters, at which parsers and engines stop.
   */
  parse(sql: string): ParsedText<Statement>;

  /**
   * The tables that one statement names, without duplicates and quotes, in the order of the text.
   * Names of common table expressions are left out.
   */
  tables(statement: Statement): readonly string[];
}
