/** A name in a statement. */
export interface WrittenName {
  /** As the statement writes it, with the names in front of it. */
  readonly text: string;
  /** Its parts as PostgreSQL reads them: without quotes, and in lower case where there are none. */
  readonly path: readonly string[];
}

/** The SQLSTATE of PostgreSQL's error; an error of another engine has none. */
export function codeIn(cause: unknown): string | undefined {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * The place in a statement at which PostgreSQL reports an error, in UTF-16 units. The server counts code points from 1.
 * @param cause the driver's error; one of another kind has no place.
 */
export function placeIn(sql: string, cause: unknown): number | undefined {
  const position = cause instanceof Error && "position" in cause ? Number(cause.position) : 0;
  if (!Number.isInteger(position) || position < 1) return undefined;
  let at = 0;
  for (let passed = 1; passed < position; passed += 1) {
    at += (sql.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

const PART = /"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*/u.source;
const PATH = new RegExp(`(?:${PART})(?:\\s*\\.\\s*(?:${PART}))*`, "uy");

/** The name that begins at a place; `undefined` when none does. */
export function nameAt(sql: string, at: number | undefined): WrittenName | undefined {
  if (at === undefined) return undefined;
  PATH.lastIndex = at;
  const text = PATH.exec(sql)?.[0];
  if (text === undefined) return undefined;
  const path = Array.from(text.matchAll(new RegExp(PART, "gu")), ([part]) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part.toLowerCase(),
  );
  return { text, path };
}
