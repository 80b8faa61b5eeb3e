import { DatabaseSync } from "@photostructure/sqlite";
import { callColumns, numbers } from "./rows.js";
import { openSqliteStore, silentTelemetry, systemClock } from "./server-modules.js";

/** The column that each dimension of the totals groups by. */
const KEYS = {
  total: "''",
  tool: "tool_name",
  session: "session_id",
  intent: "intent",
  model: "coalesce(orm_model, 'unknown')",
} as const;
const GRAINS_MS = { day: 24 * 60 * 60 * 1000, quarter: 15 * 60 * 1000 } as const;

/** The steps of every plan: a single one, whose calls store their differences. */
const STEPS = JSON.stringify([
  {
    id: "step",
    index: 0,
    dataSource: "default",
    intentSource: "explicit",
    queryTemplate: "SELECT 1",
  },
]);

/** Nanodollars for each AAU. */
const AAU_PRICE = 5_000_000;

/** A new store with this many usage rows, and the totals that recording them would produce. */
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

/** A new store with this many unrecorded tool calls in its log. */
export async function fillToolCalls(path: string, calls: number): Promise<void> {
  const db = await newStore(path);
  const { id, org_id, session_id, tool_name, intent, orm_model, occurred_at_ms } =
    callColumns(calls);
  // Fifty calls per plan, so that a session consists of whole plans; the tables are those of
  // sqlite/schema/plans.ts.
  const plan_id = `printf('%08x-0000-7000-8000-000000000000', n / 50)`;
  const rest = `json_object('toolName', ${tool_name}, 'intent', ${intent}, 'ormModel', ${orm_model})`;
  db.exec(`INSERT INTO plans (org_id, plan_id, session_id, created_at_ms, deadline_ms, status)
    ${numbers(calls)}
    SELECT DISTINCT ${org_id}, ${plan_id}, ${session_id}, 0, 0, 'running' FROM numbers`);
  db.exec(`INSERT INTO plan_definitions (org_id, plan_id, name, description, steps)
    SELECT org_id, plan_id, 'plan', '', '${STEPS}' FROM plans`);
  db.exec(`INSERT INTO plan_changes (org_id, plan_id, sequence, events, call, output)
    ${numbers(calls)}
    SELECT ${org_id}, ${plan_id}, n + 2, '[]',
      json_array(0, ${id}, 1, 'completed', 1, ${occurred_at_ms}, 1.0, ${rest}), '[{"1":1}]'
    FROM numbers`);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

/** An empty store, opened directly and with reduced durability. */
async function newStore(path: string): Promise<InstanceType<typeof DatabaseSync>> {
  await openSqliteStore(path, systemClock, silentTelemetry)[Symbol.asyncDispose]();
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  return db;
}
