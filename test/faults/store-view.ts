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

/** Plans with a step that was not completed exactly once. */
export function completedNotOnce(steps: number): string {
  return `SELECT plan_id FROM plan_events
    WHERE event_type = 'PlanStepExecuted' AND CAST(payload AS TEXT) LIKE '%"completed"%'
    GROUP BY plan_id HAVING count(*) <> ${String(steps)}`;
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
