import { rmSync } from "node:fs";
import { DatabaseSync, type StatementSyncInstance } from "@photostructure/sqlite";

/** What a floor run did. */
export interface Floor {
  readonly stepsPerSecond: number;
  readonly steps: number;
}

/** What makes the tables that hold a step's rows, and their indexes. */
const STEP_TABLES_SQL = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL
  AND tbl_name IN ('plan_steps', 'step_results', 'plan_events', 'tool_calls')`;

type Row = Record<string, string | number | null>;

/**
 * The least that durable steps can cost here: the rows that a served run wrote, written again by a
 * bare loop, `group` steps to a commit at synchronous=FULL. No decisions, no wire, no statements run
 * for the agent.
 * @param storePath the store of the served run, closed.
 */
export function measureFloor(storePath: string, scratchPath: string, group: number): Floor {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(scratchPath + suffix, { force: true });
  const source = new DatabaseSync(storePath);
  const scratch = new DatabaseSync(scratchPath);
  scratch.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  for (const { sql } of all(source, STEP_TABLES_SQL)) {
    scratch.exec(String(sql));
  }
  const steps = stepsOf(source);
  scratch.exec("BEGIN");
  for (const step of steps) insertPending(scratch, step.row);
  scratch.exec("COMMIT");
  const write = stepWriter(scratch);
  const started = performance.now();
  for (let first = 0; first < steps.length; first += group) {
    scratch.exec("BEGIN IMMEDIATE");
    for (const step of steps.slice(first, first + group)) write(step);
    scratch.exec("COMMIT");
  }
  const seconds = (performance.now() - started) / 1000;
  source.close();
  scratch.close();
  return { stepsPerSecond: steps.length / seconds, steps: steps.length };
}

/** One step's rows, as the served run left them. */
interface StepRows {
  readonly row: Row;
  readonly result: Row;
  readonly events: readonly Row[];
  readonly toolCall: Row;
}

function stepsOf(db: InstanceType<typeof DatabaseSync>): readonly StepRows[] {
  const key = (row: Row): string => `${String(row["plan_id"])}/${String(row["step_id"])}`;
  const events = new Map<string, Row[]>();
  for (const event of all(
    db,
    "SELECT *, payload ->> '$.step_id' AS step_id FROM plan_events WHERE event_type IN ('PlanStepStarted', 'PlanStepExecuted')",
  )) {
    const { step_id: _stepId, ...stored } = event;
    events.set(key(event), [...(events.get(key(event)) ?? []), stored]);
  }
  const calls = new Map(all(db, "SELECT * FROM tool_calls").map((row) => [key(row), row]));
  const results = new Map(
    all(db, "SELECT * FROM step_results").map((row) => [
      `${String(row["plan_id"])}/${String(row["step_index"])}`,
      row,
    ]),
  );
  return all(db, "SELECT * FROM plan_steps WHERE status = 'completed'").flatMap((row) => {
    const result = results.get(`${String(row["plan_id"])}/${String(row["step_index"])}`);
    const toolCall = calls.get(key(row));
    return result === undefined || toolCall === undefined
      ? []
      : [{ row, result, events: events.get(key(row)) ?? [], toolCall }];
  });
}

function insertPending(db: InstanceType<typeof DatabaseSync>, row: Row): void {
  insert(db, "plan_steps", row).run(
    ...Object.values({ ...row, status: "pending", attempt: 0, row_count: null }),
  );
}

function stepWriter(db: InstanceType<typeof DatabaseSync>): (step: StepRows) => void {
  const update = db.prepare(
    `UPDATE plan_steps SET status = ?, attempt = ?, row_count = ?, executed_at_ms = ?
     WHERE org_id = ? AND plan_id = ? AND step_index = ?`,
  );
  const inserts = new Map<string, StatementSyncInstance>();
  const put = (table: string, row: Row): void => {
    const statement = inserts.get(table) ?? insert(db, table, row);
    inserts.set(table, statement);
    statement.run(...Object.values(row));
  };
  return ({ row, result, events, toolCall }) => {
    update.run(
      row["status"],
      row["attempt"],
      row["row_count"],
      row["executed_at_ms"],
      row["org_id"],
      row["plan_id"],
      row["step_index"],
    );
    put("step_results", result);
    for (const event of events) put("plan_events", event);
    put("tool_calls", toolCall);
  };
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
