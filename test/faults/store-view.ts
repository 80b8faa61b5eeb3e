import { DatabaseSync } from "@photostructure/sqlite";
import pg from "pg";

/** Rows of a store, read past its servers, and where each engine keeps what a truth is about. */
export interface StoreView {
  all(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** A table of tool calls. */
  readonly calls: string;
  /** `key`, plan and step, and `output` of every step that is executed. */
  readonly outputs: string;
  /** Plans whose log has a gap. */
  readonly gaps: string;
  /** Plans of which not every step was executed once. */
  executedNotOnce(steps: number): string;
  /** What somebody runs, or may think so. */
  readonly running: string;
  /** The tables that have one row for each memory entry. */
  readonly entryTables: readonly string[];
}

/** The view of an SQLite store. */
export function sqliteView(path: string): StoreView {
  return {
    all(sql) {
      const db = new DatabaseSync(path, { timeout: 5000 });
      try {
        return Promise.resolve(db.prepare(sql).all() as Record<string, unknown>[]);
      } finally {
        db.close();
      }
    },
    calls: "tool_calls",
    outputs: "SELECT plan_id || '/' || step_id AS key, output FROM plan_steps",
    gaps: `SELECT plan_id FROM plan_events GROUP BY plan_id
      HAVING max(sequence) <> count(*) OR min(sequence) <> 1`,
    executedNotOnce: (steps) => `SELECT plan_id FROM plan_events
      WHERE event_type = 'PlanStepExecuted' GROUP BY plan_id HAVING count(*) <> ${String(steps)}`,
    running: "SELECT plan_id, step_id FROM plan_steps WHERE status = 'running'",
    entryTables: ["memory_entries", "memory_entry_embeddings", "memory_codes"],
  };
}

/** The view of a PostgreSQL store. */
export function postgresView(url: string): StoreView {
  const types = new pg.TypeOverrides();
  for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) {
    types.setTypeParser(type, Number);
  }
  return {
    async all(sql) {
      const client = new pg.Client({ connectionString: url, types });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows;
      } finally {
        await client.end();
      }
    },
    calls: `(SELECT c.org_id, c.plan_id, (c.call::json ->> 1)::uuid AS event_id,
        s.step ->> 'id' AS step_id, s.step ->> 'toolName' AS tool_name, s.step ->> 'intent' AS intent,
        (c.call::json ->> 5)::bigint AS finished_at_ms
      FROM plan_changes AS c JOIN plan_definitions AS d USING (org_id, plan_id)
      CROSS JOIN LATERAL (SELECT d.steps::json -> (c.call::json ->> 0)::int AS step) AS s
      WHERE c.call IS NOT NULL)`,
    outputs: `SELECT c.plan_id || '/' || (d.steps::json -> c.result_step ->> 'id') AS key,
        coalesce(output, '[]') AS output
      FROM plan_changes AS c JOIN plan_definitions AS d USING (org_id, plan_id)
      WHERE result_step IS NOT NULL`,
    // Rows of a log whose events do not begin where those of the row before end.
    gaps: `SELECT plan_id, sequence FROM (
        SELECT plan_id, sequence,
          coalesce(lag(sequence + json_array_length(events::json)) OVER log, 1) AS expected
        FROM plan_changes WINDOW log AS (PARTITION BY org_id, plan_id ORDER BY sequence)) AS numbered
      WHERE sequence <> expected`,
    executedNotOnce: (steps) => `SELECT plan_id
      FROM plan_changes, json_array_elements(events::json) AS event
      WHERE event ->> 0 IN ('PlanStepExecuted', '1') GROUP BY plan_id HAVING count(*) <> ${String(steps)}`,
    running: "SELECT plan_id FROM step_leases",
    entryTables: ["memory_entries", "memory_entry_embeddings"],
  };
}
