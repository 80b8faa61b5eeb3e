import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StatementClass } from "../../../governance/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import { PLAN_DEADLINE_MS_MAX } from "../../../plans/limits.js";
import type { AttemptRef, SqlValue } from "../../../plans/ports.js";
import { MARKER_TABLE } from "../../own-tables.js";
import type { WriteTask } from "../protocol.js";
import { watchSchema } from "./schema-watch.js";
import { WriteSession } from "./write-session.js";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("a write and its marker", () => {
  let db: DatabaseSyncInstance;
  let session: WriteSession;
  let nowMs: number;
  const clock: Clock = { nowMs: () => nowMs };

  beforeEach(() => {
    nowMs = Date.parse("2026-01-01T00:00:00Z");
    db = new DatabaseSync(":memory:", { defensive: true });
    db.exec("CREATE TABLE log (line TEXT UNIQUE)");
    session = new WriteSession(db, clock, () => watchSchema);
  });
  afterEach(() => {
    db.close();
  });

  it("may have the file grow by a gibibyte, and by no more", () => {
    append(attempt(1));
    const pragma = (name: string) =>
      Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
    // The pages of the write itself came after the limit was set.
    const growth = pragma("max_page_count") - pragma("page_count");
    expect(Math.abs(growth * pragma("page_size") - 1024 ** 3)).toBeLessThan(100_000);
  });

  const attempt = (number: number, stepId = "a"): AttemptRef => ({
    orgId: "org",
    planId: "plan",
    stepId,
    attempt: number,
  });
  const write = (task: WriteTask, forget: readonly AttemptRef[] = []) =>
    session.write(task, forget, () => undefined);
  const append = (ref: AttemptRef, line = "x") =>
    write(task(ref, "INSERT INTO log VALUES (?1) RETURNING line", [line]));
  const lines = () =>
    db
      .prepare("SELECT line FROM log")
      .all()
      .map((row) => row.line as string);
  const markers = () => db.prepare(`SELECT step_id, attempt, outcome FROM ${MARKER_TABLE}`).all();

  it("commit together", () => {
    expect(append(attempt(1))).toMatchObject({ rowCount: 1, outputJson: '[{"line":"x"}]' });
    expect(lines()).toEqual(["x"]);
    expect(markers()).toEqual([{ step_id: "a", attempt: 1, outcome: "applied" }]);
  });

  it("take effect once: a second run returns the first one's result", () => {
    const first = append(attempt(1));
    expect(append(attempt(1), "y")).toEqual(first);
    expect(append(attempt(2), "y")).toEqual(first);
    expect(lines()).toEqual(["x"]);
  });

  it("return the first result even where the statement would fail by now", () => {
    const create = task(attempt(1), "CREATE TABLE t (a)", [], "admin");
    const first = write(create);
    expect(first.schemaDeltas).toMatchObject([{ tableName: "t", operation: "NEW" }]);
    expect(write(create)).toEqual(first);
  });

  it("of other steps and organizations are their own", () => {
    append(attempt(1), "x");
    append(attempt(1, "b"), "y");
    append({ ...attempt(1), orgId: "other" }, "z");
    expect(lines()).toEqual(["x", "y", "z"]);
  });

  it("leave nothing behind when the statement fails", () => {
    append(attempt(1));
    expect(() => append(attempt(1, "b"))).toThrow("UNIQUE constraint failed: log.line");
    expect(markers()).toHaveLength(1);
    expect(db.isTransaction).toBe(false);
  });

  it("leave nothing behind when the statement rolls back by itself", () => {
    append(attempt(1));
    const rollback = task(attempt(1, "b"), "INSERT OR ROLLBACK INTO log VALUES ('x')", []);
    expect(() => write(rollback)).toThrow("UNIQUE constraint failed");
    expect(markers()).toHaveLength(1);
  });

  it("are rolled back together by whatever comes before COMMIT", () => {
    const refused = (): never => {
      throw new Error("orphaned");
    };
    const insert = task(attempt(1), "INSERT INTO log VALUES ('x')", []);
    expect(() => session.write(insert, [], refused)).toThrow("orphaned");
    expect(lines()).toEqual([]);
    expect(session.settle(attempt(1))).toBeUndefined();
  });

  it("are settled as having taken effect, with the result", () => {
    const result = append(attempt(1));
    expect(session.settle(attempt(1))).toEqual(result);
  });

  it("once settled as having taken none, never take effect: an orphan comes too late", () => {
    expect(session.settle(attempt(2))).toBeUndefined();
    for (const late of [1, 2]) {
      expect(() => append(attempt(late))).toThrow(
        expect.objectContaining({ reason: "rolled_back" }),
      );
    }
    expect(lines()).toEqual([]);
    expect(session.settle(attempt(2))).toBeUndefined();
  });

  it("may take effect in a later attempt than the one given up", () => {
    session.settle(attempt(1));
    append(attempt(2));
    expect(lines()).toEqual(["x"]);
    expect(session.settle(attempt(1))).toMatchObject({ rowCount: 1 });
  });

  it("keep the newest fence when an older attempt is settled after it", () => {
    session.settle(attempt(2));
    session.settle(attempt(1));
    expect(() => append(attempt(2))).toThrow("abandoned");
  });

  it("are forgotten with the next write", () => {
    append(attempt(1));
    write(task(attempt(1, "b"), "INSERT INTO log VALUES ('y')", []), [attempt(1)]);
    expect(markers()).toEqual([{ step_id: "b", attempt: 1, outcome: "applied" }]);
  });

  it("are forgotten by the next session when no plan can need them any more", () => {
    append(attempt(1));
    const startMs = nowMs;
    nowMs += PLAN_DEADLINE_MS_MAX;
    session = new WriteSession(db, clock, () => watchSchema);
    append(attempt(1, "b"), "y");
    expect(session.settle(attempt(1))).toMatchObject({ rowCount: 1 });
    nowMs = startMs + 37 * DAY_MS + 1;
    expect(markers()).toHaveLength(2);
    session = new WriteSession(db, clock, () => watchSchema);
    append(attempt(1, "c"), "z");
    expect(markers()).toEqual([
      { step_id: "b", attempt: 1, outcome: "applied" },
      { step_id: "c", attempt: 1, outcome: "applied" },
    ]);
  });

  it("count the rows changed, and none for a change of the schema", () => {
    append(attempt(1), "x");
    append(attempt(2, "b"), "y");
    const update = task(attempt(1, "c"), "UPDATE log SET line = line || ?1", ["!"], "write_update");
    expect(write(update)).toMatchObject({ rowCount: 2, outputJson: "[]", rowsKept: 2 });
    const create = task(attempt(1, "d"), "CREATE TABLE t AS SELECT * FROM log", [], "admin");
    expect(write(create)).toMatchObject({ rowCount: 0 });
  });
});

function task(
  attempt: AttemptRef,
  sql: string,
  binds: readonly SqlValue[],
  statementClass: StatementClass = "write_insert",
): WriteTask {
  const statement = { sql, binds, intent: statementClass, statementClass, tables: ["log"] };
  return {
    kind: "write",
    statement,
    attempt,
    limits: { rowsMax: 10_000, mayChangeUncounted: true },
  };
}
