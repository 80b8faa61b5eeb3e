/** The syntax of SQLite: statements, the tables that they name, and definitions. */
export type { AstNode, InsertStmt, QualifiedName, Stmt, UpdateStmt, Upsert } from "sqlite3-parser";
export { SqliteSyntax } from "./sqlite-syntax.js";
export { childrenOf } from "./syntax-tree.js";
