import type { SqlAnalyzer, StatementReader } from "../../../governance/index.js";

/** A reader without threads. */
export function readAtOnce(analyzer: SqlAnalyzer): StatementReader {
  return {
    read: (sql, dialect) => analyzer.analyze(sql, dialect),
    advise: (sql, dialect, refusal) => analyzer.advise(sql, dialect, refusal),
    shape: (sql, dialect) => analyzer.shape(sql, dialect),
  };
}
