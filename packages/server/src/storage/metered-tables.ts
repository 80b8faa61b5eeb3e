import { ROW_BYTES } from "../usage/limits.js";
import type { MeterPlace, MeteredPage, StoredKind } from "../usage/ports.js";

/** A table with an organization's data, in the order of an index that begins with the organization. */
export interface MeteredTable {
  readonly name: string;
  readonly kind: StoredKind;
  /** Columns that follow the organization in the index, with their types on PostgreSQL. */
  readonly key: Readonly<Record<string, string>>;
  /** Columns with texts and blobs. */
  readonly sized: readonly string[];
}

/** The tables of both engines whose rows are measured, without those of the audit log; small ones of administration do not count. */
export const METERED_TABLES: readonly MeteredTable[] = [
  {
    name: "plan_definitions",
    kind: "plans",
    key: { plan_id: "uuid" },
    sized: ["name", "description", "steps"],
  },
  {
    name: "plan_changes",
    kind: "plans",
    key: { plan_id: "uuid", sequence: "integer" },
    sized: [
      ...["events", "steps", "call", "output", "schema_additions", "augmentation_hints"],
      ...["output_metadata", "origins"],
    ],
  },
  {
    name: "approvals",
    kind: "plans",
    key: { approval_id: "uuid" },
    sized: ["approval", "subject"],
  },
  {
    name: "webhook_deliveries",
    kind: "plans",
    key: { target: "text", message_id: "text" },
    sized: ["body", "error"],
  },
  {
    name: "memory_entries",
    kind: "memory",
    key: { created_at_ms: "bigint", entry_id: "uuid" },
    sized: ["content", "tool_name", "intent", "sources"],
  },
  {
    name: "memory_vectors",
    kind: "memory",
    key: { model_id: "integer", sha256: "bytea" },
    sized: ["embedding"],
  },
  {
    name: "usage_events",
    kind: "usage",
    key: { occurred_at_ms: "bigint", id: "uuid" },
    sized: [
      "session_id",
      "step_id",
      "tool_name",
      "intent",
      "orm_model",
      "source",
      "source_event_id",
    ],
  },
  {
    name: "usage_adjustments",
    kind: "usage",
    key: { occurred_at_ms: "bigint", event_id: "uuid", id: "uuid" },
    sized: ["price_id"],
  },
];

/** The expression of the bytes of a row. The length is in a value's header; the value is not read. */
export function sizeOf({ sized }: MeteredTable): string {
  return sized.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
}

/** @param tables the tables of a measurement. @param rows of one of them, from a place on. */
export function meteredPage(
  tables: readonly MeteredTable[],
  { table }: MeterPlace,
  rows: readonly (Readonly<Record<string, unknown>> & { readonly bytes: number })[],
  limit: number,
): MeteredPage {
  const { kind, key } = meteredTable(tables, table);
  const bytes = rows.reduce((sum, row) => sum + row.bytes + ROW_BYTES, 0);
  const last = rows.length < limit ? undefined : rows.at(-1);
  if (last !== undefined) {
    return { kind, bytes, next: { table, after: Object.keys(key).map((column) => last[column]) } };
  }
  return { kind, bytes, ...(table + 1 < tables.length ? { next: { table: table + 1 } } : {}) };
}

/** The table of a place. */
export function meteredTable(tables: readonly MeteredTable[], number: number): MeteredTable {
  const table = tables[number];
  if (table === undefined) throw new RangeError(`no table has the number ${String(number)}`);
  return table;
}
