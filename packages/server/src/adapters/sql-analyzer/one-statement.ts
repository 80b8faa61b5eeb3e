import type { StatementAnalysis } from "../../governance/index.js";

/** A text that is not one statement which some intent allows. */
export type Rejection = Extract<StatementAnalysis, { kind: "rejected" }>;

/** Parsers and engines stop at a NUL: what stands behind it would go unseen. */
export function nulRejection(sql: string): Rejection | undefined {
  return sql.includes("\0")
    ? rejected("unparsable", "The statement holds a NUL character")
    : undefined;
}

/** Analyses the only statement of a text, whatever the dialect. */
export function analyzeOnly<Statement>(
  statements: readonly Statement[],
  analyze: (statement: Statement) => StatementAnalysis,
): StatementAnalysis {
  const [statement, ...others] = statements;
  if (statement === undefined) return rejected("unparsable", "The statement is empty");
  if (others.length === 0) return analyze(statement);
  return rejected(
    "multiple_statements",
    `Only one statement is allowed, found ${statements.length}: use one step for each`,
  );
}

export function rejected(reason: Rejection["reason"], message: string): Rejection {
  return { kind: "rejected", reason, message };
}
