import type { PostgresObject } from "../model/schema.js";

/** An optional clause: no text at all where the object has no such property. */
export function clause(prefix: string, text: string | undefined): string {
  return text === undefined ? "" : prefix + text;
}

/** The same, for a list of clauses. */
export function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text;
}

export function unlogged({ values }: PostgresObject): string {
  return values.persistence === "unlogged" ? "UNLOGGED " : "";
}

/** The storage parameters of a table or materialized view; the options of a view. */
export function storageClauses({ values }: PostgresObject): string {
  const options = values.options;
  const given = options === undefined ? "" : ` WITH (${options})`;
  return `${clause(" USING ", values.accessMethod)}${given}`;
}
