import {
  intentCovers,
  type Dialect,
  type Intent,
  type SqlAnalyzer,
  type StatementAnalysis,
  type StatementReader,
} from "../../governance/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { StatementError } from "../../plans/ports.js";
import { codeIn, placeIn } from "../../kernel/name-at.js";
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

  /** @param reader reads statements so that they hold nobody; absent: the analyzer reads them at once. */
  constructor(analyzer: SqlAnalyzer, dialect: Dialect, reader?: StatementReader) {
    this.#analyzer = analyzer;
    this.#reader = reader;
    this.#dialect = dialect;
  }

  /**
   * @param orgId whose statement it is.
   * @throws StatementError `intent`, `statement` or `waited`.
   */
  admit(sql: string, intent: Intent, orgId: string): KnownStatement | Promise<KnownStatement> {
    const analysis =
      this.#reader === undefined
        ? this.#analyzer.analyze(sql, this.#dialect)
        : this.#reader.read(sql, this.#dialect, orgId);
    return analysis instanceof Promise
      ? analysis.then((read) => admitted(read, intent), notRead)
      : admitted(analysis, intent);
  }

  /** Adds advice to the engine's error when the statement uses another SQL dialect. */
  async withAdvice(error: StatementError, sql: string, orgId: string): Promise<StatementError> {
    if (error.reason !== "statement") return error;
    const { reason, message, hints, cause } = error;
    const refusal = { message, code: codeIn(cause), at: placeIn(sql, cause) };
    const advice =
      this.#reader === undefined
        ? this.#analyzer.advise(sql, this.#dialect, refusal)
        : await this.#reader.advise(sql, this.#dialect, refusal, orgId);
    if (advice.length === 0) return error;
    return new StatementError(reason, message, { hints: [...hints, ...advice], cause });
  }
}

/** @throws StatementError `waited` when too many statements wait to be read. */
function notRead(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new StatementError("waited", error.message, { cause: error });
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
