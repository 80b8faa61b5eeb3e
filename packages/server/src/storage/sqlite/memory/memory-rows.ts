import type { EntryFilter, MemoryEntry } from "../../../memory/index.js";
import type { SqliteRow, SqliteValue } from "../connection.js";
import { sourcesIn } from "../../plan-changes/index.js";
import { number, optionalText, text } from "../column-values.js";

/** The entry in a row of `memory_entries`. */
export function entryOf(row: SqliteRow): MemoryEntry {
  const toolName = optionalText(row["tool_name"]);
  const intent = optionalText(row["intent"]);
  const sources = sourcesIn(optionalText(row["sources"]));
  return {
    orgId: text(row["org_id"]),
    entryId: text(row["entry_id"]),
    sessionId: text(row["session_id"]),
    content: text(row["content"]),
    createdAtMs: number(row["created_at_ms"]),
    ...(toolName === undefined || intent === undefined
      ? {}
      : { toolCall: { toolName, intent, ...(sources && { sources }) } }),
  };
}

/** Conditions on `memory_entries`, joined by AND, with their parameters. */
export interface Conditions {
  readonly sql: string;
  readonly params: readonly SqliteValue[];
}

/** The conditions for an organization and a filter; an empty filter excludes nothing. */
export function conditionsOf(filter: EntryFilter, orgId: string | undefined): Conditions {
  const { sessionId, createdFromMs, createdBeforeMs, toolName, intent, content } = filter;
  const conditions = [
    condition("org_id = ?", orgId),
    condition("session_id = ?", sessionId),
    condition("created_at_ms >= ?", createdFromMs),
    condition("created_at_ms < ?", createdBeforeMs),
    condition("tool_name = ?", toolName),
    condition("intent = ?", intent),
    content === undefined ? [] : [contentCondition(content)],
  ].flat();
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND ") || "TRUE",
    params: conditions.flatMap(({ params }) => params),
  };
}

function condition(sql: string, value: SqliteValue | undefined): readonly Conditions[] {
  return value === undefined ? [] : [{ sql, params: [value] }];
}

/**
 * SQLite's own JSON types distinguish `true` from 1, and a JSON null from a missing value. Content
 * that is nested deeper than SQLite can parse matches nothing.
 */
function contentCondition(content: NonNullable<EntryFilter["content"]>): Conditions {
  const { path, equals } = content;
  const type = "CASE WHEN json_valid(content) THEN json_type(content, ?) END";
  switch (typeof equals) {
    case "string":
      return { sql: `${type} = 'text' AND content ->> ? = ?`, params: [path, path, equals] };
    case "number":
      return {
        sql: `${type} IN ('integer', 'real') AND content ->> ? = ?`,
        params: [path, path, equals],
      };
    default:
      return { sql: `${type} = ?`, params: [path, String(equals)] };
  }
}
