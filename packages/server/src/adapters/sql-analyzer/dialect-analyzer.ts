import type {
  Dialect,
  EngineRefusal,
  SqlAnalyzer,
  StatementAnalysis,
} from "../../governance/index.js";
import { AppError } from "@steward/kernel/errors.js";

/** Passes each statement to the analyzer of its dialect. */
export class DialectAnalyzer implements SqlAnalyzer {
  readonly #analyzers: Readonly<Partial<Record<Dialect, SqlAnalyzer>>>;

  constructor(analyzers: Readonly<Partial<Record<Dialect, SqlAnalyzer>>>) {
    this.#analyzers = analyzers;
  }

  /** @throws AppError `UNIMPLEMENTED` for a dialect without an analyzer. */
  analyze(sql: string, dialect: Dialect): StatementAnalysis {
    return this.#of(dialect).analyze(sql, dialect);
  }

  /** @throws AppError `UNIMPLEMENTED` for a dialect without an analyzer. */
  advise(sql: string, dialect: Dialect, refusal: EngineRefusal): readonly string[] {
    return this.#of(dialect).advise(sql, dialect, refusal);
  }

  /** @throws AppError `UNIMPLEMENTED` for a dialect without an analyzer. */
  shape(sql: string, dialect: Dialect): string | undefined {
    return this.#of(dialect).shape(sql, dialect);
  }

  #of(dialect: Dialect): SqlAnalyzer {
    const analyzer = this.#analyzers[dialect];
    if (analyzer !== undefined) return analyzer;
    throw new AppError("UNIMPLEMENTED", `No data source has the dialect ${dialect}`);
  }
}
