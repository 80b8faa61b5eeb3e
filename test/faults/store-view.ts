import { brotliDecompressSync } from "node:zlib";
import { DatabaseSync } from "@photostructure/sqlite";
import pg from "pg";

/** Reads a store's rows directly, from the tables and views that every engine has. */
export interface StoreView {
  all(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** The records of the audit log from an index on, with the JSON of their personal values. */
  records(from: number): Promise<readonly Record<string, unknown>[]>;
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
  const all: StoreView["all"] = (sql) => {
    const db = new DatabaseSync(path, { timeout: 5000 });
    try {
      db.function("json_of", (block: unknown) => textsOf(block));
      return Promise.resolve(db.prepare(sql).all() as Record<string, unknown>[]);
    } finally {
      db.close();
    }
  };
  return {
    all,
    records: (from) =>
      all(
        `SELECT e.record_index, e.entry, v.personal_values FROM (
           SELECT record_index, entry FROM audit_entries
           UNION ALL SELECT b.block_index * 256 + t.key, t.value
             FROM audit_blocks AS b, json_each(json_of(b.entries)) AS t
             WHERE b.block_index >= ${String(from)} / 256) AS e
         LEFT JOIN (
           SELECT record_index, personal_values FROM audit_personal_values
           UNION ALL SELECT b.block_index * 256 + (t.value ->> 0), t.value ->> 2
             FROM audit_personal_blocks AS b, json_each(json_of(b.personal_values)) AS t
             WHERE b.block_index >= ${String(from)} / 256) AS v USING (record_index)
         WHERE e.record_index >= ${String(from)} ORDER BY e.record_index`,
      ),
  };
}

/** The JSON in a compressed block of the audit log; of a bundle of entries, a JSON list of them. */
function textsOf(block: unknown): string {
  const bytes = brotliDecompressSync(block as Uint8Array);
  if (bytes[0] === "[".charCodeAt(0) && bytes.at(-1) === "]".charCodeAt(0)) return bytes.toString();
  const entries: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 2 + bytes.readUInt16BE(at);
    entries.push(bytes.toString("utf8", at + 2, end));
    at = end;
  }
  return JSON.stringify(entries);
}

/** The view of a PostgreSQL store. */
export function postgresView(url: string): StoreView {
  const types = new pg.TypeOverrides();
  for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) {
    types.setTypeParser(type, Number);
  }
  const all: StoreView["all"] = async (sql) => {
    const client = new pg.Client({ connectionString: url, types });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    all,
    records: async (from) => {
      const blocks = await all("SELECT batch_index, records, personal_values FROM audit_blocks");
      return blocks
        .flatMap(recordsOf)
        .filter((record) => Number(record["record_index"]) >= from)
        .sort((a, b) => Number(a["record_index"]) - Number(b["record_index"]));
    },
  };
}

/** The records of a block of the audit log on PostgreSQL. */
function recordsOf(block: Record<string, unknown>): readonly Record<string, unknown>[] {
  const first = Number(block["batch_index"]);
  // A list has the place of a record, and what it has of it.
  const listOf = (bytes: unknown): readonly (readonly [number, ...string[]])[] =>
    bytes === null ? [] : (JSON.parse(textsOf(bytes)) as readonly [number, ...string[]][]);
  const values = new Map(listOf(block["personal_values"]).map((each) => [each[0], each.at(-1)]));
  return listOf(block["records"]).map((each) => ({
    record_index: first + each[0],
    entry: each.at(-1),
    personal_values: values.get(each[0]) ?? null,
  }));
}
