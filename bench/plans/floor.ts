import { rmSync } from "node:fs";
import { DatabaseSync, type StatementSyncInstance } from "@photostructure/sqlite";

/** What a floor run did. */
export interface Floor {
  readonly stepsPerSecond: number;
  readonly steps: number;
}

/** What makes the tables that hold a step's rows, and their indexes. */
const STEP_TABLES_SQL = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL
  AND tbl_name IN ('plan_steps', 'plan_events', 'tool_calls')`;

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
  return all(db, "SELECT * FROM plan_steps WHERE status = 'completed'").flatMap((row) => {
    const toolCall = calls.get(key(row));
    return toolCall === undefined ? [] : [{ row, events: events.get(key(row)) ?? [], toolCall }];
  });
}

function stepWriter(db: InstanceType<typeof DatabaseSync>): (step: StepRows) => void {
  const inserts = new Map<string, StatementSyncInstance>();
  const put = (table: string, row: Row): void => {
    const statement = inserts.get(table) ?? insert(db, table, row);
    inserts.set(table, statement);
    statement.run(...Object.values(row));
  };
  return ({ row, events, toolCall }) => {
    put("plan_steps", row);
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
