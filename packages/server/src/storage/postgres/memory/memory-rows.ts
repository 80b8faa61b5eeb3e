import type { EntryFilter, MemoryEntry } from "../../../memory/index.js";
import { sourcesIn } from "../../plan-changes/index.js";
import type { PgValue } from "../database.js";

/** Columns of `memory_entries AS e` that {@link entryOf} reads. */
export const ENTRY_COLUMNS: string = `e.org_id, e.entry_id, e.session_id, e.content,
  e.created_at_ms, e.tool_name, e.intent, e.sources`;

/** The smallest UUID, where paging starts. */
export const FIRST_ID: string = "00000000-0000-0000-0000-000000000000";

/** The greatest UUID. */
export const LAST_ID: string = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** A row of {@link ENTRY_COLUMNS}. */
export interface EntryRow {
  readonly org_id: string;
  readonly entry_id: string;
  readonly session_id: string;
  readonly content: string;
  readonly created_at_ms: number;
  readonly tool_name: string | null;
  readonly intent: string | null;
  readonly sources: string | null;
}

/** A row of `memory_entries`. */
export function entryOf(row: EntryRow): MemoryEntry {
  const { tool_name: toolName, intent } = row;
  const sources = sourcesIn(row.sources ?? undefined);
  return {
    orgId: row.org_id,
    entryId: row.entry_id,
    sessionId: row.session_id,
    content: row.content,
    createdAtMs: row.created_at_ms,
    ...(toolName === null || intent === null
      ? {}
      : { toolCall: { toolName, intent, ...(sources && { sources }) } }),
  };
}

/**
 * The conditions for an organization and a filter on `memory_entries AS e`; their values are
 * appended to `values`.
 */
export function conditionsOf(
  filter: EntryFilter,
  orgId: string | undefined,
  values: PgValue[],
): string {
  const conditions: string[] = [];
  const place = (value: PgValue): string => {
    values.push(value);
    return `$${values.length}`;
  };
  const narrow = (condition: string, value: string | number | undefined): void => {
    if (value !== undefined) conditions.push(`${condition} ${place(value)}`);
  };
  narrow("e.org_id =", orgId);
  narrow("e.session_id =", filter.sessionId);
  narrow("e.created_at_ms >=", filter.createdFromMs);
  narrow("e.created_at_ms <", filter.createdBeforeMs);
  narrow("e.tool_name =", filter.toolName);
  narrow("e.intent =", filter.intent);
  if (filter.content !== undefined) conditions.push(contentCondition(filter.content, place));
  return conditions.join(" AND ") || "TRUE";
}

/**
 * JSON's own types distinguish `true` from 1, and a JSON null from a missing value. The CASE
 * evaluates its branches in order, so a text that PostgreSQL cannot represent, with an escaped NUL,
 * is not extracted and matches nothing.
 */
function contentCondition(
  { path, equals }: NonNullable<EntryFilter["content"]>,
  place: (value: PgValue) => string,
): string {
  const at = `e.content::json #> ${place(keysOf(path))}::text[]`;
  const type = `json_typeof(${at})`;
  const text = `(${at} #>> '{}')`;
  const isPlain = String.raw`strpos((${at})::text, '\u0000') = 0`;
  switch (typeof equals) {
    case "string":
      return `CASE WHEN ${type} <> 'string' THEN FALSE WHEN ${isPlain}
        THEN ${text} = ${place(equals)} ELSE FALSE END`;
    case "number":
      return `CASE WHEN ${type} = 'number' THEN ${text}::numeric = ${place(equals)}::numeric
        ELSE FALSE END`;
    case "boolean":
      return `CASE WHEN ${type} = 'boolean' THEN ${text} = ${place(String(equals))} ELSE FALSE END`;
    default:
      return `${type} = 'null'`;
  }
}

/** The keys of a path such as `$.tags[0]`. */
function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/\.(\w+)|\[(\d+)\]/g)].map(([, member, index]) => member ?? index ?? "");
}
