import { rmSync } from "node:fs";
import { DatabaseSync, type StatementSyncInstance } from "@photostructure/sqlite";

/** What a floor run did. */
export interface Floor {
  readonly stepsPerSecond: number;
  readonly steps: number;
}

/** What makes the table that holds a step's row, and its index. */
const STEP_TABLE_SQL = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL
  AND tbl_name = 'plan_changes'`;

type Row = Record<string, string | number | null>;

/**
 * The least that durable steps can cost here: the row of each that a served run wrote, written again by a
 * bare loop, `group` steps to a commit at synchronous=FULL. No decisions, no wire, no statements run
 * for the agent.
 * @param storePath the store of the served run, closed.
 */
export function measureFloor(storePath: string, scratchPath: string, group: number): Floor {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(scratchPath + suffix, { force: true });
  const source = new DatabaseSync(storePath);
  const scratch = new DatabaseSync(scratchPath);
  scratch.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  for (const { sql } of all(source, STEP_TABLE_SQL)) {
    scratch.exec(String(sql));
  }
  const steps = all(source, "SELECT * FROM plan_changes WHERE result_step IS NOT NULL");
  const [first] = steps;
  if (first === undefined) throw new Error("The served run has left no steps");
  const write = insert(scratch, "plan_changes", first);
  const started = performance.now();
  for (let done = 0; done < steps.length; done += group) {
    scratch.exec("BEGIN IMMEDIATE");
    for (const step of steps.slice(done, done + group)) write.run(...Object.values(step));
    scratch.exec("COMMIT");
  }
  const seconds = (performance.now() - started) / 1000;
  source.close();
  scratch.close();
  return { stepsPerSecond: steps.length / seconds, steps: steps.length };
}

function insert(
  db: InstanceType<typeof DatabaseSync>,
  table: string,
  row: Row,
): StatementSyncInstance {
  const columns = Object.keys(row);
  return db.prepare(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
}

function all(db: InstanceType<typeof DatabaseSync>, sql: string): readonly Row[] {
  return db.prepare(sql).all() as Row[];
}
