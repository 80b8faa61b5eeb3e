import type { StatementError } from "../plans/ports.js";

/** A refused row, as an engine words it. */
export interface NamedConstraint {
  /** Such as `UNIQUE`. */
  readonly kind: string;
  /** Tables and columns as the engine writes them, the expression of a CHECK, or the constraint's name. */
  readonly text: string;
  /** Absent where the engine does not name it. */
  readonly table?: string;
  /** Whether `text` is the name of a constraint, which may contain names of columns. */
  readonly isName?: true;
}

/** SQLSTATEs of refused rows (PostgreSQL manual, appendix A, class 23). */
const KINDS: ReadonlyMap<unknown, string> = new Map([
  ["23001", "FOREIGN KEY"],
  ["23502", "NOT NULL"],
  ["23503", "FOREIGN KEY"],
  ["23505", "UNIQUE"],
  ["23514", "CHECK"],
  ["23P01", "EXCLUDE"],
]);

/** The constraint that a message names, with its columns or with its own name. */
export function constraintIn({
  message,
  cause,
}: Pick<StatementError, "message" | "cause">): NamedConstraint | undefined {
  const sqlite = /^(UNIQUE|NOT NULL|CHECK) constraint failed: (.+)$/s.exec(message);
  if (sqlite !== null) {
    const [, kind = "", text = ""] = sqlite;
    const table = /^(.+?)\.[^.]+$/.exec(text.split(", ")[0] ?? "")?.[1];
    return { kind, text, ...(kind === "CHECK" || table === undefined ? {} : { table }) };
  }
  return namedByServer(cause);
}

/** PostgreSQL names the constraint and its table in fields of their own, whatever language the message is in. */
function namedByServer(cause: unknown): NamedConstraint | undefined {
  if (!(cause instanceof Error)) return undefined;
  const fields = Object.fromEntries<unknown>(Object.entries(cause));
  const { code, schema, table, constraint, column } = fields;
  const kind = KINDS.get(code);
  const text = kind === "NOT NULL" ? column : constraint;
  const isComplete = [schema, table, text].every((field) => typeof field === "string");
  if (kind === undefined || !isComplete) return undefined;
  const named = { kind, text: String(text), table: `${String(schema)}.${String(table)}` };
  return kind === "NOT NULL" ? named : { ...named, isName: true };
}
