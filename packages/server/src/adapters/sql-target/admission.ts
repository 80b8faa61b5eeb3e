import {
  intentCovers,
  type Dialect,
  type Intent,
  type SqlAnalyzer,
  type StatementAnalysis,
  type StatementReader,
} from "../../governance/index.js";
import { STATEMENT_READ_AT_ONCE_LENGTH_MAX } from "../../plans/limits.js";
import { StatementError } from "../../plans/ports.js";
import { isOwnTable } from "../own-tables.js";

/** The analysis of an admissible statement. */
export type KnownStatement = Extract<StatementAnalysis, { kind: "statement" }>;

/**
 * Refuses, before the engine sees it, anything that is not one statement of the declared intent.
 * The engine checks again which objects the statement really touches. Only the text, however,
 * reveals that a REPLACE deletes rows, or that a second statement follows.
 */
export class Admission {
  readonly #analyzer: SqlAnalyzer;
  readonly #reader: StatementReader | undefined;
  readonly #dialect: Dialect;

  /** @param reader parses long statements in a thread; absent: the analyzer parses all of them. */
  constructor(analyzer: SqlAnalyzer, dialect: Dialect, reader?: StatementReader) {
    this.#analyzer = analyzer;
    this.#reader = reader;
    this.#dialect = dialect;
  }

  /** @throws StatementError `intent` or `statement`. */
  admit(sql: string, intent: Intent): KnownStatement | Promise<KnownStatement> {
    const isLong = sql.length > STATEMENT_READ_AT_ONCE_LENGTH_MAX;
    if (isLong && this.#reader !== undefined) {
      return this.#reader.read(sql, this.#dialect).then((analysis) => admitted(analysis, intent));
    }
    return admitted(this.#analyzer.analyze(sql, this.#dialect), intent);
  }

  /** Adds advice to the engine's error when the statement uses another SQL dialect. */
  withAdvice(error: StatementError, sql: string): StatementError {
    if (error.reason !== "statement") return error;
    const { reason, message, hints, cause } = error;
    const advice = this.#analyzer.advise(sql, this.#dialect, message);
    if (advice.length === 0) return error;
    return new StatementError(reason, message, { hints: [...hints, ...advice], cause });
  }
}

function admitted(analysis: StatementAnalysis, intent: Intent): KnownStatement {
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
