/**
 * Statements read by the grammar of their dialect. PostgreSQL's parser, which is large, is not
 * here: whoever needs it loads `postgres-analyzer.js`.
 */
export { DialectAnalyzer } from "./dialect-analyzer.js";
export { SqliteAnalyzer } from "./sqlite-analyzer.js";
export { ReadingThread } from "./reading-thread.js";
