/** Statements read by the grammar of their dialect. */
export { SqliteAnalyzer } from "./sqlite-analyzer.js";
