import type { Dialect, SqlAnalyzer, StatementAnalysis } from "../../governance/index.js";
import { AppError } from "../../kernel/errors.js";

/** Has each statement read by the analyzer of its dialect. */
export class DialectAnalyzer implements SqlAnalyzer {
  readonly #analyzers: Readonly<Partial<Record<Dialect, SqlAnalyzer>>>;

  constructor(analyzers: Readonly<Partial<Record<Dialect, SqlAnalyzer>>>) {
    this.#analyzers = analyzers;
  }

  /** @throws AppError `UNIMPLEMENTED` for a dialect without an analyzer. */
  analyze(sql: string, dialect: Dialect): StatementAnalysis {
    const analyzer = this.#analyzers[dialect];
    if (analyzer !== undefined) return analyzer.analyze(sql, dialect);
    throw new AppError("UNIMPLEMENTED", `No data source speaks ${dialect}`);
  }
}
