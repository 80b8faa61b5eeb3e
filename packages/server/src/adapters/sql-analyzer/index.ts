/**
 * Analyzers that read statements with the grammar of their dialect. PostgreSQL's parser is large,
 * so it is not exported here: import `postgres-analyzer.js` where it is needed.
 */
export { DialectAnalyzer } from "./dialect-analyzer.js";
export { SqliteAnalyzer } from "./sqlite-analyzer.js";
export { ReadingThreads } from "./reading/reading-threads.js";
