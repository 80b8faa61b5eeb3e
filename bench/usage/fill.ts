import { DatabaseSync } from "@photostructure/sqlite";
import { callColumns, numbers } from "./rows.js";
import { openSqliteStore, silentTelemetry, systemClock } from "./server-modules.js";

/** What groups a row in each dimension of the totals. */
const KEYS = {
  total: "''",
  tool: "tool_name",
  session: "session_id",
  intent: "intent",
  model: "coalesce(orm_model, 'unknown')",
} as const;
const GRAINS_MS = { day: 24 * 60 * 60 * 1000, quarter: 15 * 60 * 1000 } as const;

/** Nanodollars for each AAU. */
const AAU_PRICE = 5_000_000;

/** A new store with this many usage rows, and the totals that recording them one by one makes. */
export async function fillUsage(path: string, rows: number): Promise<void> {
  const db = await newStore(path);
  const { id, org_id, session_id, tool_name, intent, aau_weight, orm_model, occurred_at_ms } =
    callColumns(rows);
  db.exec(`INSERT INTO usage_events (org_id, occurred_at_ms, id, session_id, tool_name, intent,
      intent_source, aau_weight, orm_model, cost_nanodollars, created_at_ms)
    ${numbers(rows)}
    SELECT ${org_id}, ${occurred_at_ms}, ${id}, ${session_id}, ${tool_name}, ${intent},
      'explicit', ${aau_weight}, ${orm_model}, (${aau_weight}) * ${AAU_PRICE}, ${occurred_at_ms}
    FROM numbers`);
  const sums = "count(*), CAST(sum(aau_weight) AS INTEGER), sum(cost_nanodollars)";
  for (const [dimension, key] of Object.entries(KEYS)) {
    for (const [grain, ms] of Object.entries(GRAINS_MS)) {
      db.exec(`INSERT INTO usage_totals
        SELECT org_id, '${dimension}', '${grain}', occurred_at_ms / ${ms} * ${ms}, ${key}, ${sums}
        FROM usage_events GROUP BY 1, 4, 5`);
    }
  }
  db.exec(`INSERT INTO usage_heat_map
    SELECT org_id, ${KEYS.model}, intent, aau_weight, ${sums} FROM usage_events GROUP BY 1, 2, 3, 4`);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

/** A new store with this many tool calls in its log, none of them recorded. */
export async function fillToolCalls(path: string, calls: number): Promise<void> {
  const db = await newStore(path);
  const { id, org_id, session_id, tool_name, intent, orm_model, occurred_at_ms } =
    callColumns(calls);
  db.exec(`INSERT INTO tool_calls (event_id, org_id, session_id, plan_id, step_id, attempt, tool_name,
      intent, intent_source, orm_model, status, row_count, query, output, finished_at_ms, duration_ms)
    ${numbers(calls)}
    SELECT ${id}, ${org_id}, ${session_id}, ${id}, 'step', 1, ${tool_name}, ${intent}, 'explicit',
      ${orm_model}, 'completed', 1, 'SELECT 1', '[{"1":1}]', ${occurred_at_ms}, 1.0
    FROM numbers`);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

/** An empty store, opened past the server and not held to its durability. */
async function newStore(path: string): Promise<InstanceType<typeof DatabaseSync>> {
  await openSqliteStore(path, systemClock, silentTelemetry)[Symbol.asyncDispose]();
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  return db;
}
