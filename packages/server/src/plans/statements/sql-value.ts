import type { PostgresType } from "./postgres-types.js";

/**
 * A value bound to a statement. On PostgreSQL a plain string gets its type from the context of its
 * parameter; a {@link PostgresValue} states its type.
 */
export type SqlValue = string | number | null | SqliteValue | PostgresValue;

/** A value that the statement extracts by itself: from JSON text, or from a blob as base64. */
export interface SqliteValue {
  readonly storage: "json" | "blob";
  readonly text: string;
}

/** A value of a type, or an array of such values, in PostgreSQL's text format; NULL has no text. */
export interface PostgresValue {
  readonly type: PostgresType;
  readonly isArray?: true;
  readonly text: string | null;
}
