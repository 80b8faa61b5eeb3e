import { createHash } from "node:crypto";

/** A table with the same rows on every engine. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** Whether an empty store has rows in it, which are replaced. */
  readonly hasRows?: boolean;
  /** The SQLite table or query with the rows, when it has another name. */
  readonly sqliteFrom?: string;
}

/** A column. Its values are copied as text, bytes as hexadecimal digits. */
export interface CopiedColumn {
  readonly name: string;
  readonly type:
    "uuid" | "text" | "bigint" | "integer" | "float8" | "boolean" | "bytea" | "timestamptz";
  /** The SQLite expression for its text, when it is not the column of the same name. */
  readonly sqlite?: string;
}

/** One row, column by column. */
export type CopiedRow = readonly (string | null)[];

const NIL = "'00000000-0000-0000-0000-000000000000'";

/**
 * The first call of a plan that the usage has set aside because it could not be read; NULL when there is none. The
 * usage of a plan whose first rows are deleted is not counted again from there: the rows that follow would be
 * counted twice.
 */
const FIRST_UNCOUNTED = `(SELECT min(c.sequence) FROM set_aside_calls AS s JOIN plan_changes AS c USING (change)
  WHERE s.consumer = 'usage' AND c.org_id = plans.org_id AND c.plan_id = plans.plan_id
    AND NOT EXISTS (SELECT 1 FROM usage_detail_starts AS d
      WHERE d.org_id = plans.org_id AND d.from_ms > plans.created_at_ms))`;

/** Whether every consumer has read the whole log of an ended plan. */
const IS_SETTLED = `iif(finished_at_ms IS NOT NULL AND ${FIRST_UNCOUNTED} IS NULL AND NOT EXISTS (
  SELECT 1 FROM plan_changes AS c WHERE c.org_id = plans.org_id AND c.plan_id = plans.plan_id
    AND c.call IS NOT NULL AND c.change > min(${cursorOf("usage")}, ${cursorOf("memory")}, ${cursorOf("audit")})), 'true', 'false')`;

/**
 * On PostgreSQL the usage waits in the log of a plan at a call that it cannot read. The calls behind it that are
 * already counted are read once more then, and counted once.
 */
const USAGE_THROUGH = `coalesce(${FIRST_UNCOUNTED} - 1, ${placeInPlan("usage")})`;

/**
 * The records of each full or incomplete tile by organization. SQLite's blocks are read one by one, and each once;
 * those of PostgreSQL are of one organization.
 */
const AUDIT_BLOCKS = `(
  WITH entry AS (
    SELECT record_index, entry FROM audit_entries
    UNION ALL SELECT b.block_index * 256 + v.key, v.value
      FROM audit_blocks AS b, json_each(audit_block_entries(b.entries)) AS v),
  personal AS MATERIALIZED (
    SELECT record_index, salt, personal_values FROM audit_personal_values
    UNION ALL SELECT b.block_index * 256 + (v.value ->> 0), v.value ->> 1, v.value ->> 2
      FROM audit_personal_blocks AS b, json_each(audit_block_values(b.personal_values)) AS v)
  SELECT r.org_id, r.record_index / 256 * 256 AS batch_index, min(r.at_ms) AS from_ms,
    max(r.at_ms) AS until_ms, audit_kinds(json_group_array(r.kind)) AS kinds,
    audit_packed_records(json_group_array(
      json_array(r.record_index % 256, r.at_ms, r.kind, r.subject, e.entry))) AS records,
    audit_packed_values(json_group_array(json_array(r.record_index % 256, p.salt, p.personal_values))
      FILTER (WHERE p.salt IS NOT NULL)) AS personal_values
  FROM entry AS e CROSS JOIN audit_records AS r ON r.record_index = e.record_index
    LEFT JOIN personal AS p ON p.record_index = e.record_index
  GROUP BY r.org_id, r.record_index / 256)`;

/** All copied tables, in an order in which referenced tables come first. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  table(
    "plans",
    "org_id uuid, plan_id uuid, session_id text, created_at_ms bigint, deadline_ms bigint, status text, started_at_ms bigint, finished_at_ms bigint, cancel_reason text, failure text",
    [
      { name: "usage_through", type: "integer", sqlite: USAGE_THROUGH },
      { name: "memory_through", type: "integer", sqlite: placeInPlan("memory") },
      { name: "audit_through", type: "integer", sqlite: placeInPlan("audit") },
      { name: "is_settled", type: "boolean", sqlite: IS_SETTLED },
    ],
  ),
  table(
    "plan_definitions",
    "org_id uuid, plan_id uuid, name text, description text, steps text, on_failure text",
    [{ name: "keep_open", type: "boolean", sqlite: "iif(keep_open, 'true', 'false')" }],
  ),
  table(
    "plan_changes",
    "org_id uuid, plan_id uuid, sequence integer, result_step integer, events text, steps text, call text, output text, schema_additions text, augmentation_hints text, output_metadata text, origins text",
  ),
  table(
    "approvals",
    "org_id uuid, approval_id uuid, plan_id uuid, step_id text, session_id text, status text, requested_at_ms bigint, expires_at_ms bigint, approval text, subject text, revoked_at_ms bigint, revoked_by text",
  ),
  // The owner of these steps is dead, so the first server that starts settles them.
  table(
    "step_leases",
    "org_id uuid, plan_id uuid, step_index integer, attempt integer, owner text",
    [
      { name: "node_id", type: "uuid", sqlite: NIL },
      { name: "lease_until_ms", type: "bigint", sqlite: "0" },
    ],
  ),
  table(
    "idempotency_keys",
    "org_id uuid, idempotency_key text, request_hash text, plan_id uuid, created_at_ms bigint",
  ),
  {
    ...table(
      "usage_events",
      "org_id uuid, occurred_at_ms bigint, id uuid, session_id text, plan_id uuid, step_id text, tool_name text, intent text, intent_source text, orm_model text, cost_nanodollars bigint, price_id text, source text, source_event_id text",
      [
        { name: "aau_weight", type: "float8", sqlite: "CAST(aau_weight AS INTEGER)" },
        { name: "created_at", type: "timestamptz", sqlite: "created_at_ms" },
      ],
    ),
  },
  table(
    "usage_adjustments",
    "org_id uuid, occurred_at_ms bigint, event_id uuid, id uuid, price_id text, difference_nanodollars bigint, created_at_ms bigint",
  ),
  table(
    "usage_totals",
    "org_id uuid, dimension text, grain text, bucket_ms bigint, key text, action_count bigint, total_aau bigint, total_nanodollars bigint",
  ),
  table(
    "usage_heat_map",
    "org_id uuid, orm_model text, intent text, aau_weight integer, action_count bigint, total_aau bigint, total_nanodollars bigint",
  ),
  table(
    "usage_prices",
    "org_id uuid, scope text, subject text, from_ms bigint, until_ms bigint, amount_nanodollars bigint, id text",
  ),
  table(
    "usage_budgets",
    "org_id uuid, scope text, unit text, period text, action text, set_by text, limit_amount bigint, id text",
  ),
  table("payment_customers", "org_id uuid, customer_id text, bound_at_ms bigint"),
  {
    ...table("payment_customer_owners", "customer_id text", [
      { name: "org_id", type: "uuid", sqlite: NIL },
      { name: "owner_id", type: "uuid", sqlite: "org_id" },
    ]),
    sqliteFrom: "payment_customers",
  },
  table(
    "api_keys",
    "org_id uuid, key_id text, created_at_ms bigint, definition text, secret_hash text, previous_hash text, previous_until_ms bigint, last_used_at_ms bigint, revoked_at_ms bigint",
  ),
  table(
    "policies",
    "org_id uuid, version bigint, text text, changed_by text, changed_at_ms bigint",
  ),
  table(
    "webhook_deliveries",
    "org_id uuid, target text, message_id text, body text, attempt integer, due_at_ms bigint, dead_at_ms bigint, error text",
  ),
  table("sessions", "org_id uuid, session_id text, created_at_ms bigint"),
  table(
    "memory_entries",
    "org_id uuid, entry_id uuid, session_id text, content text, created_at_ms bigint, tool_name text, intent text, sources text",
  ),
  table(
    "retention_versions",
    "org_id uuid, version bigint, periods text, changed_by text, changed_at_ms bigint",
  ),
  table(
    "legal_holds",
    "org_id uuid, hold_id uuid, session_id text, reason text, placed_by text, placed_at_ms bigint",
  ),
  table(
    "erasures",
    "org_id uuid, erasure_id uuid, scope text, subject text, subject_digest text, requested_by text, requested_at_ms bigint, finished_at_ms bigint, plan_count bigint, entry_count bigint, usage_count bigint",
  ),
  {
    ...table(
      "audit_blocks",
      "org_id uuid, batch_index bigint, from_ms bigint, until_ms bigint, kinds text, records bytea, personal_values bytea",
    ),
    sqliteFrom: AUDIT_BLOCKS,
  },
  {
    ...table("audit_subjects", "org_id uuid, subject text, batch_index bigint"),
    sqliteFrom: `(SELECT DISTINCT org_id, subject, record_index / 256 * 256 AS batch_index FROM audit_records)`,
  },
  table("audit_tiles", "org_id uuid, level integer, tile_index bigint, hashes bytea"),
  { ...table("audit_tree", "org_id uuid, size bigint, checkpoint text"), hasRows: true },
  table("audit_cosignatures", "org_id uuid, witness text, size bigint, note text"),
  // No server of the new store holds a lease.
  table("audit_export_positions", "org_id uuid, sink text, next_index bigint, holder text", [
    { name: "lease_until_ms", type: "bigint", sqlite: "0" },
  ]),
  table("audit_outbox", "org_id uuid, at_ms bigint, fact text", [
    // In the order of the numbers that SQLite has given them.
    {
      name: "outbox_id",
      type: "uuid",
      sqlite: "printf('00000000-0000-7000-8000-%012x', outbox_id)",
    },
  ]),
  table("plan_forks", "org_id uuid, plan_id uuid, fork_id uuid"),
  table("plan_removals", "org_id uuid, plan_id uuid"),
  table("usage_detail_starts", "org_id uuid, from_ms bigint"),
  table("memory_models", "name text, model_id integer, dimension integer", [
    { name: "org_id", type: "uuid", sqlite: NIL },
    {
      name: "is_active",
      type: "boolean",
      sqlite: "CASE is_active WHEN 1 THEN 'true' ELSE 'false' END",
    },
  ]),
  {
    ...table(
      "memory_vectors",
      "org_id uuid, model_id integer, sha256 bytea, code bytea, embedding bytea",
    ),
    sqliteFrom: "memory_vectors JOIN memory_codes USING (vector_key)",
  },
  {
    ...table("memory_entry_vectors", "entry_id uuid, created_at_ms bigint, sha256 bytea", [
      { name: "org_id", type: "uuid", sqlite: "memory_entries.org_id" },
      { name: "model_id", type: "integer", sqlite: "memory_entry_vectors.model_id" },
    ]),
    sqliteFrom: `memory_entry_vectors JOIN memory_entries USING (entry_key)
      JOIN memory_vectors USING (vector_key)`,
  },
];

/**
 * A consumer's position in the log of one plan. SQLite stores one position in the common log of all
 * plans instead.
 */
function placeInPlan(consumer: string): string {
  return `coalesce((SELECT max(c.sequence) FROM plan_changes AS c
    WHERE c.org_id = plans.org_id AND c.plan_id = plans.plan_id AND c.change <= ${cursorOf(consumer)}), 0)`;
}

function cursorOf(consumer: string): string {
  return `coalesce((SELECT sequence FROM tool_call_cursors WHERE consumer = '${consumer}'), 0)`;
}

function table(name: string, columns: string, more: readonly CopiedColumn[] = []): CopiedTable {
  const plain = columns.split(", ").map((column): CopiedColumn => {
    const [columnName = "", type] = column.split(" ");
    return { name: columnName, type: type as CopiedColumn["type"] };
  });
  return { name, columns: [...plain, ...more] };
}

/** Counts rows and sums their hashes, independently of their order. Equal sums mean equal rows. */
export class RowSum {
  #count = 0;
  #sum = 0n;

  add(row: CopiedRow): void {
    const digest = createHash("sha256").update(JSON.stringify(row)).digest();
    this.#count += 1;
    this.#sum = (this.#sum + digest.readBigUInt64BE()) % 2n ** 64n;
  }

  get count(): number {
    return this.#count;
  }

  equals(other: RowSum): boolean {
    return this.#count === other.#count && this.#sum === other.#sum;
  }
}
