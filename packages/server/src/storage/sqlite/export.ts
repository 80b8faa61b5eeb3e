import { assert } from "../../kernel/assert.js";
import { systemClock } from "../../kernel/clock.js";
import { planRecordOf } from "../../plans/execution.js";
import type { PlanRef } from "../../plans/ports.js";
import type { CopiedPlan } from "../copied-plan.js";
import type { CopiedRow, CopiedTable } from "../copied-table.js";
import { openConnection, StatementCache } from "./connection.js";
import { refuseFromBeforeRelease, schemaVersion } from "./migrate.js";
import { PlanQueries } from "./plan-queries.js";
import { lockStore } from "./owner-lock.js";
import { number, text } from "./plan-rows.js";
import { recordOf } from "./tool-call-log.js";

/** Events read at once. */
const EVENTS_MAX = 100_000;

/** A stopped store, read from end to end. */
export interface SqliteExport extends Disposable {
  readonly planCount: number;
  plans(): Iterable<CopiedPlan>;
  rowCount(table: CopiedTable): number;
  rows(table: CopiedTable): Iterable<CopiedRow>;
}

/** @throws AppError `STORE_UNAVAILABLE` when a server owns the store. */
export function openSqliteExport(path: string): SqliteExport {
  const lock = lockStore(path);
  const connection = openConnection(path, true);
  refuseFromBeforeRelease(schemaVersion(connection));
  const db = new StatementCache(connection);
  return {
    planCount: number(db.get("SELECT count(*) AS n FROM plans")?.["n"]),
    plans: () => plansOf(db),
    rowCount: ({ name, sqliteFrom = name }) =>
      number(db.get(`SELECT count(*) AS n FROM ${sqliteFrom}`)?.["n"]),
    *rows({ name, columns, sqliteFrom = name }) {
      const values = columns.map(({ name: column, type, sqlite = column }) =>
        type === "bytea" ? `lower(hex(${sqlite}))` : `CAST(${sqlite} AS TEXT)`,
      );
      const sql = `SELECT ${values.map((value, index) => `${value} AS c${index}`).join(", ")}
        FROM ${sqliteFrom}`;
      for (const row of connection.prepare(sql).iterate()) {
        yield Object.values(row as Record<string, string | null>);
      }
    },
    [Symbol.dispose]() {
      connection.close();
      lock[Symbol.dispose]();
    },
  };
}

function* plansOf(db: StatementCache): Generator<CopiedPlan> {
  const queries = new PlanQueries(db, systemClock);
  const places = {
    usage: placeOf(db, "usage"),
    memory: placeOf(db, "memory"),
  };
  for (const row of db.all("SELECT org_id, plan_id FROM plans ORDER BY plan_id")) {
    const ref = { orgId: text(row["org_id"]), planId: text(row["plan_id"]) };
    yield planOf(db, queries, ref, places);
  }
}

function planOf(
  db: StatementCache,
  queries: PlanQueries,
  ref: PlanRef,
  places: { readonly usage: number; readonly memory: number },
): CopiedPlan {
  const loaded = queries.load(ref);
  assert(loaded !== undefined, "a plan that is listed is there");
  const contexts = loaded.prepared.flatMap(({ index }) => {
    const context = queries.context(ref, index);
    return context === undefined ? [] : ([[index, context]] as const);
  });
  const calls = db.all(
    "SELECT * FROM tool_calls WHERE org_id = ? AND plan_id = ? ORDER BY sequence",
    ref.orgId,
    ref.planId,
  );
  return {
    ...loaded,
    record: planRecordOf(loaded),
    events: queries.eventsNow(ref, 0, EVENTS_MAX),
    contexts: new Map(contexts),
    calls: calls.map((call) => ({
      record: recordOf(call),
      isUsage: number(call["sequence"]) <= places.usage,
      isRemembered: number(call["sequence"]) <= places.memory,
    })),
  };
}

function placeOf(db: StatementCache, consumer: string): number {
  const row = db.get("SELECT sequence FROM tool_call_cursors WHERE consumer = ?", consumer);
  return row === undefined ? 0 : number(row["sequence"]);
}
