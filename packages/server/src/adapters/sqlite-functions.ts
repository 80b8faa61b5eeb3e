/** Functions of SQLite that reach code, memory or logs outside the database. */
const FORBIDDEN: ReadonlySet<string> = new Set(["fts3_tokenizer", "load_extension", "sqlite_log"]);

/** Whether no statement may call the function, in whatever case of letters. */
export function isForbiddenFunction(name: string): boolean {
  return FORBIDDEN.has(name.toLowerCase());
}
