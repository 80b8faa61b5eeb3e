/** Functions of SQLite that access code, memory or logs outside the database. */
const FORBIDDEN: ReadonlySet<string> = new Set(["fts3_tokenizer", "load_extension", "sqlite_log"]);

/** Whether the function is forbidden in statements, in any case of letters. */
export function isForbiddenFunction(name: string): boolean {
  return FORBIDDEN.has(name.toLowerCase());
}
