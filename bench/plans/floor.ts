import { rmSync } from "node:fs";
import { DatabaseSync, type StatementSyncInstance } from "@photostructure/sqlite";

/** The result of a floor run. */
export interface Floor {
  readonly stepsPerSecond: number;
  readonly steps: number;
}

/** Creates the table for the steps' rows, and its index. */
const STEP_TABLE_SQL = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL
  AND tbl_name = 'plan_changes'`;

type Row = Record<string, string | number | null>;

/**
 * The lower bound for durable steps on this machine: a bare loop writes the rows of a served run
 * again, `group` steps per commit at synchronous=FULL, without decisions, protocol and statements.
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
