/** The syntax of SQL, as SQLite and PostgreSQL read it. */
export { type Token, type TokenType, templateTokens } from "./sql-tokens.js";
