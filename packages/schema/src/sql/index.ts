/** The syntax of SQL, as SQLite and PostgreSQL read it. */
export type { ParsedText, SqlSyntax } from "./sql-syntax.js";
export { type Token, type TokenType, templateTokens } from "./sql-tokens.js";
