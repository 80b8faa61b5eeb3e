import {
  intentCovers,
  type Dialect,
  type Intent,
  type SqlAnalyzer,
  type StatementAnalysis,
} from "../governance/index.js";
import { StatementError } from "../plans/ports.js";
import { isOwnTable } from "./own-tables.js";

/** What is known of a statement that may run. */
export type KnownStatement = Extract<StatementAnalysis, { kind: "statement" }>;

/**
 * Refuses, before the engine is asked, what is not one statement of the declared intent. The
 * engine looks again, at what the statement really touches; but that a REPLACE deletes, or that a
 * second statement follows, only the text tells.
 */
export class Admission {
  readonly #analyzer: SqlAnalyzer;
  readonly #dialect: Dialect;

  constructor(analyzer: SqlAnalyzer, dialect: Dialect) {
    this.#analyzer = analyzer;
    this.#dialect = dialect;
  }

  /** @throws StatementError `intent` or `statement`. */
  admit(sql: string, intent: Intent): KnownStatement {
    const analysis = this.#analyzer.analyze(sql, this.#dialect);
    if (analysis.kind === "rejected") {
      const reason = analysis.reason === "forbidden" ? "intent" : "statement";
      throw new StatementError(reason, analysis.message);
    }
    if (!intentCovers(intent, analysis.statementClass)) {
      const { statementClass, because } = analysis;
      const reason = because === undefined ? "" : ` (${because})`;
      throw new StatementError(
        "intent",
        `The statement is a ${statementClass}${reason}, which the declared intent ${intent} does not cover`,
      );
    }
    const own = analysis.tables.find(isOwnTable);
    if (own !== undefined) {
      throw new StatementError("intent", `The table ${own.toLowerCase()} belongs to the service`);
    }
    return analysis;
  }

  /** What the engine refused a statement with, and what helps to repair it if that is a matter of dialect. */
  withAdvice(error: StatementError, sql: string): StatementError {
    if (error.reason !== "statement") return error;
    const { reason, message, hints, cause } = error;
    const advice = this.#analyzer.advise(sql, this.#dialect, message);
    if (advice.length === 0) return error;
    return new StatementError(reason, message, { hints: [...hints, ...advice], cause });
  }
}
