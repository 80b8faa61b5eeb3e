/** A text as a literal of SQL. */
export function literalOf(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** The text of a literal with quotes. */
export function contentOf(literal: string): string {
  return literal.slice(1, -1).replaceAll("''", "'");
}
