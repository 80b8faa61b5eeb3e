import { DatabaseSync } from "@photostructure/sqlite";
import pg from "pg";

/** Reads a store's rows directly, from the tables and views that every engine has. */
export interface StoreView {
  all(sql: string): Promise<readonly Record<string, unknown>[]>;
}

/** `key`, plan and step, and `output` of every executed step. */
export const OUTPUTS = `SELECT plan_id || '/' || step_id AS key, output FROM plan_steps
  WHERE output IS NOT NULL`;

/** Plans whose log has a gap. */
export const GAPS = `SELECT plan_id FROM plan_events GROUP BY plan_id
  HAVING max(sequence) <> count(*) OR min(sequence) <> 1`;

/** Steps that are running, or may be. */
export const RUNNING = "SELECT plan_id, step_id FROM plan_steps WHERE status = 'running'";

/** The completed steps of each plan. */
export const COMPLETED = `SELECT plan_id, payload FROM plan_events
  WHERE event_type = 'PlanStepExecuted' AND payload LIKE '%"completed"%'`;

/** The changes of each plan, in their order. */
export const CHANGES = `SELECT plan_id, event_type, payload FROM plan_events
  WHERE event_type IN ('PlanRetried', 'PlanStepAppended', 'PlanStepRevised', 'PlanForked')
  ORDER BY plan_id, sequence`;

/** Attempts with more than one record. */
export const DOUBLE_ATTEMPTS = `SELECT plan_id, step_id, attempt FROM tool_calls
  GROUP BY plan_id, step_id, attempt HAVING count(*) > 1`;

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
  };
}
