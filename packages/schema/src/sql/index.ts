/** The syntax of SQL, as SQLite and PostgreSQL read it. */
export type { ParsedText, SqlSyntax } from "./sql-syntax.js";
export { TokenReader } from "./token-reader.js";
export {
  type Token,
  type TokenType,
  isLiteral,
  isSign,
  isWord,
  templateTokens,
  tokensOf,
} from "./sql-tokens.js";
