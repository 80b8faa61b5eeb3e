export { SqliteAnalyzer } from "./sqlite-analyzer.js";
