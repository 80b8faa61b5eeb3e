import type { StatementAnalysis } from "../../governance/index.js";

/** The rejection of a text that is not exactly one permitted statement. */
export type Rejection = Extract<StatementAnalysis, { kind: "rejected" }>;

/** Parsers and engines stop at a NUL character, so they would ignore the text behind it. */
export function nulRejection(sql: string): Rejection | undefined {
  return sql.includes("\0")
    ? rejected("unparsable", "The statement holds a NUL character")
    : undefined;
}

/** Analyzes the only statement of a text, in any dialect. */
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
