/** Statements read by the grammar of their dialect. */
export { DialectAnalyzer } from "./dialect-analyzer.js";
export { PostgresAnalyzer } from "./postgres-analyzer.js";
export { SqliteAnalyzer } from "./sqlite-analyzer.js";
