import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import type { Intent } from "../../governance/index.js";
import {
  StatementError,
  type AttemptRef,
  type ColumnType,
  type SqlTarget,
  type StatementRequest,
  type StatementResult,
} from "../../plans/ports.js";

const COUNT_USERS = "SELECT count(*) AS n FROM users";
const TWO_USERS = { outputJson: '[{"n":2}]' };

/**
 * A data source of its own: `users (id integer primary key, name text not null)` with Ada, 1, and Bo,
 * 2, and an empty `log (line text not null)`.
 */
export interface TargetFixture extends AsyncDisposable {
  readonly target: SqlTarget;
  /** The n-th parameter as the dialect writes it, from 1. */
  readonly parameter: (number: number) => string;
  /** Statements without end. */
  readonly endlessRead: string;
  readonly endlessWrite: string;
  /** What is recorded of the columns `id` and `name` of `users`. */
  readonly columnTypes: readonly ColumnType[];
  /** What is in `log`, past the service. */
  lines(): Promise<readonly string[]>;
}

/** What every data source does, whatever its engine (`SqlTarget`). */
export function sqlTargetBattery(
  engine: string,
  open: (slots?: number) => Promise<TargetFixture>,
): void {
  describe(`a data source on ${engine}`, () => {
    let fixture: TargetFixture;
    let steps = 0;

    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(async () => {
      await fixture[Symbol.asyncDispose]();
    });

    const nextStep = (): AttemptRef => {
      steps += 1;
      return { orgId: "org", planId: "plan", stepId: `step-${steps}`, attempt: 1 };
    };
    const run = (
      sql: string,
      over: Partial<StatementRequest> = {},
      signal: AbortSignal = new AbortController().signal,
    ): Promise<StatementResult> => {
      const request: StatementRequest = {
        sql,
        binds: [],
        intent: "read_select",
        schemaTableHints: [],
        waitMs: 10_000,
        timeoutMs: 10_000,
        attempt: nextStep(),
        caller: NOBODY,
        ...over,
      };
      return fixture.target.run(request, signal);
    };
    const append = (line: string, over: Partial<StatementRequest> = {}) =>
      run(`INSERT INTO log VALUES (${fixture.parameter(1)})`, {
        intent: "write_insert",
        binds: [line],
        ...over,
      });

    it("describes a statement without running it", async () => {
      const { target } = fixture;
      const limits = { caller: NOBODY, waitMs: 10_000, timeoutMs: 10_000 };
      const ask = (sql: string, intent: Intent) =>
        target.describe(
          { sql, intent, parameterCount: sql.includes("id =") ? 1 : 0, ...limits },
          new AbortController().signal,
        );
      const sql = `INSERT INTO log SELECT name FROM users WHERE id = ${fixture.parameter(1)}`;
      const { touched } = await ask(sql, "write_insert");
      const tables = touched.tables.map(({ name, accesses }) => {
        return { name: name.split(".").at(-1), accesses };
      });
      expect(tables).toContainEqual({ name: "log", accesses: { insert: ["line"] } });
      expect(tables).toContainEqual({
        ...{ name: "users", accesses: { read: expect.arrayContaining(["id", "name"]) } },
      });
      expect(await fixture.lines()).toEqual([]);
      await expect(ask("SELECT n FROM nowhere", "read_select")).rejects.toMatchObject({
        ...{ reason: "statement", message: expect.stringContaining("nowhere") },
      });
      await expect(ask("DELETE FROM log", "read_select")).rejects.toMatchObject({
        reason: "intent",
      });
    });

    it("serves another organization while one floods it with statements without end", async () => {
      const stop = new AbortController();
      const patient = { timeoutMs: 120_000, waitMs: 120_000 };
      const flood = Array.from({ length: 12 }, () =>
        failureOf(run(fixture.endlessRead, patient, stop.signal)),
      );
      const served = run(COUNT_USERS, { ...patient, attempt: { ...nextStep(), orgId: "another" } });
      expect(await Promise.race([served, ...flood])).toMatchObject(TWO_USERS);
      expect((await failureOf(run(COUNT_USERS, { waitMs: 1 }))).reason).toBe("waited");
      stop.abort();
      for (const { reason } of await Promise.all(flood)) expect(reason).toBe("aborted");
    });

    it.each([
      ["reads", 1, ["many"]],
      ["reads", 3, ["many", "more"]],
      ["writes", 1, ["many"]],
    ] as const)(
      "serves an organization next when others have 200 more %s without end than there are places: %d",
      async (kind, slots, parties) => {
        await using narrow = await open(slots);
        const [sql, intent] =
          kind === "reads"
            ? ([narrow.endlessRead, "read_select"] as const)
            : ([narrow.endlessWrite, "write_insert"] as const);
        const asked = (orgId: string) => ({
          ...{ binds: [], schemaTableHints: [], waitMs: 120_000, timeoutMs: 300, caller: NOBODY },
          attempt: { ...nextStep(), orgId },
        });
        const stop = new AbortController();
        let ended = 0;
        const flood = Array.from({ length: 200 + slots }, async (_, n) => {
          const request = { ...asked(parties[n % parties.length] ?? ""), sql, intent };
          await failureOf(narrow.target.run(request, stop.signal));
          ended += 1;
        });
        const [own, ownIntent] =
          kind === "reads"
            ? ([COUNT_USERS, "read_select"] as const)
            : ([`INSERT INTO log VALUES ('quiet')`, "write_insert"] as const);
        await narrow.target.run(
          { ...asked("quiet"), sql: own, intent: ownIntent, timeoutMs: 10_000 },
          new AbortController().signal,
        );
        // The only place is given on when its statement has ended. Beside several, statements of others end and start
        // while a process starts for this one: far fewer than the 200 before it in the order of arrival.
        expect(ended).toBeLessThanOrEqual(slots === 1 ? 1 : 50);
        stop.abort();
        await Promise.all(flood);
      },
    );

    it("rolls back a write that changes more than 10 000 rows, and says what to do", async () => {
      const numbers = (n: number): string =>
        `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${n}) SELECT 'x' FROM n`;
      const insert = { intent: "write_insert" } as const;
      const message = expect.stringMatching(
        /changed 10001 rows; at most 10000 .*SERVICE_ROWS_CHANGED_MAX.*several steps/,
      ) as string;
      for (const returning of ["", " RETURNING line"]) {
        const sql = `INSERT INTO log ${numbers(10_001)}${returning}`;
        expect(await failureOf(run(sql, insert))).toMatchObject({ reason: "statement", message });
      }
      expect(await fixture.lines()).toEqual([]);
      await run(`INSERT INTO log ${numbers(10_000)}`, insert);
      expect(await fixture.lines()).toHaveLength(10_000);
    });

    it("refuses a result of more than 1000 columns", async () => {
      const columns = (n: number): string =>
        Array.from({ length: n }, (_, index) => `${index} AS c${index}`).join();
      expect(await failureOf(run(`SELECT ${columns(1001)}`))).toMatchObject({
        reason: "statement",
        message: "The result has 1001 columns; at most 1000 can be read: name those you need",
      });
      expect((await run(`SELECT ${columns(1000)}`)).rowCount).toBe(1);
    });

    it("answers a read with its rows", async () => {
      const sql = `SELECT id, name FROM users WHERE id <= ${fixture.parameter(1)} ORDER BY id`;
      expect(await run(sql, { binds: [2] })).toEqual({
        rowCount: 2,
        outputJson: '[{"id":1,"name":"Ada"},{"id":2,"name":"Bo"}]',
        rowsKept: 2,
        rowCountIsLowerBound: false,
        columnTypes: fixture.columnTypes,
        schemaDeltas: [],
      });
    });

    it("answers many reads at a time, each with its own", async () => {
      const sql = `SELECT id + ${fixture.parameter(1)} AS n FROM users WHERE id = 1`;
      const reads = Array.from({ length: 100 }, (_, n) => run(sql, { binds: [n] }));
      const outputs = (await Promise.all(reads)).map((result) => result.outputJson);
      expect(outputs).toEqual(outputs.map((_, n) => `[{"n":${n + 1}}]`));
    });

    it("names columns of the same name apart, and keeps those of no rows to itself", async () => {
      const { outputJson } = await run("SELECT id, id, name AS id FROM users WHERE id = 1");
      expect(outputJson).toBe('[{"id":1,"id_2":1,"id_3":"Ada"}]');
      expect(await run("SELECT id FROM users WHERE id = 9")).toMatchObject({ outputJson: "[]" });
    });

    it("cuts a result at 10 000 rows and counts the others", async () => {
      const numbers =
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 12000)";
      const result = await run(`${numbers} SELECT i FROM n`);
      expect(result).toMatchObject({
        rowCount: 12_000,
        rowsKept: 10_000,
        rowCountIsLowerBound: false,
      });
      expect(JSON.parse(result.outputJson)).toHaveLength(10_000);
    });

    it("makes a write durable with its marker, and shows it to the next read", async () => {
      expect(await append("first")).toMatchObject({ rowCount: 1, outputJson: "[]", rowsKept: 1 });
      expect(await run("SELECT line FROM log")).toMatchObject({ outputJson: '[{"line":"first"}]' });
      const returning = "UPDATE users SET name = 'Cy' WHERE id = 2 RETURNING id, name";
      expect(await run(returning, { intent: "write_update" })).toMatchObject({
        rowCount: 1,
        outputJson: '[{"id":2,"name":"Cy"}]',
      });
    });

    it("leaves nothing behind when a write fails", async () => {
      const insert = "INSERT INTO users VALUES (3, 'Cy'), (1, 'again')";
      expect((await failureOf(run(insert, { intent: "write_insert" }))).reason).toBe("statement");
      expect(await run(COUNT_USERS)).toMatchObject(TWO_USERS);
    });

    it("counts the rows that foreign keys change, and rolls back what is over a limit", async () => {
      const admin = { intent: "admin" } as const;
      await run("CREATE TABLE folder (id INTEGER PRIMARY KEY)", admin);
      await run(
        "CREATE TABLE page (folder INTEGER REFERENCES folder (id) ON DELETE CASCADE)",
        admin,
      );
      const insert = { intent: "write_insert" } as const;
      await run("INSERT INTO folder VALUES (1)", insert);
      const numbers =
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20)";
      await run(`INSERT INTO page ${numbers} SELECT 1 FROM n`, insert);
      const remove = (rowsChangedMax: number) =>
        run("DELETE FROM folder", { intent: "write_delete", rowsChangedMax });
      const message = expect.stringContaining("changed 21 rows; at most 20") as string;
      expect(await failureOf(remove(20))).toMatchObject({ reason: "statement", message });
      expect((await run("SELECT folder FROM page")).rowCount).toBe(20);
      expect((await remove(21)).rowCount).toBe(1);
      expect((await run("SELECT folder FROM page")).rowCount).toBe(0);
    });

    it("changes no rows uncounted where a limit applies or no policy permits it", async () => {
      const drop = (over: Partial<StatementRequest>) =>
        run("DROP TABLE log", { intent: "admin", ...over });
      const message = expect.stringContaining("not counted by the database") as string;
      const limited = { mayChangeUncounted: true, rowsChangedMax: 10 };
      expect(await failureOf(drop({}))).toMatchObject({ message });
      expect(await failureOf(drop(limited))).toMatchObject({ message });
      expect(await fixture.lines()).toEqual([]);
      await drop({ mayChangeUncounted: true });
    });

    it("tells what a change of the schema came to", async () => {
      const admin = { intent: "admin", mayChangeUncounted: true } as const;
      const made = await run("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE)", admin);
      expect(made).toMatchObject({
        rowCount: 0,
        schemaDeltas: [{ tableName: "t", operation: "NEW" }],
      });
      const definition = JSON.parse(made.schemaDeltas[0]?.tableDefJson ?? "");
      expect(Object.keys(definition)).toEqual(
        "kind columns primary_key foreign_keys unique indexes sql".split(" "),
      );
      expect(definition).toMatchObject({
        kind: "table",
        columns: [{ name: "a", primary_key_position: 1 }, { name: "b" }],
        primary_key: ["a"],
        unique: [["b"]],
      });
      const changed = await run("ALTER TABLE t ADD COLUMN c INTEGER", admin);
      expect(changed.schemaDeltas).toMatchObject([{ tableName: "t", operation: "MODIFIED" }]);
      const gone = await run("DROP TABLE t", admin);
      expect(gone.schemaDeltas).toMatchObject([{ tableName: "t", operation: "REMOVED" }]);
    });

    it.each([
      ["DELETE FROM users", "read_select"],
      ["UPDATE users SET name = 'x'", "write_insert"],
      ["INSERT INTO users VALUES (3, 'x')", "write_delete"],
      [
        "INSERT INTO users VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'x'",
        "write_insert",
      ],
      ["DROP TABLE users", "cross_system_transaction"],
      ["COMMIT", "admin"],
      ["SELECT * FROM _steward_steps", "read_select"],
      ["DELETE FROM _Steward_Steps", "write_delete"],
    ] as const)("refuses %s under %s", async (sql, intent) => {
      expect((await failureOf(run(sql, { intent }))).reason).toBe("intent");
      expect(await run(COUNT_USERS)).toMatchObject(TWO_USERS);
    });

    it("refuses a second statement and a NUL", async () => {
      const stacked = await failureOf(run("SELECT 1; DELETE FROM users"));
      expect([stacked.reason, stacked.message]).toEqual([
        "statement",
        expect.stringContaining("Only one statement"),
      ]);
      expect((await failureOf(run("SELECT 1\0"))).reason).toBe("statement");
    });

    it("helps to repair a statement, by names that come near", async () => {
      const column = await failureOf(run("SELECT nme FROM users"));
      expect(column.hints[0]).toMatch(/nme.*; did you mean name\? Columns of users: id, name$/);
      const table = await failureOf(run("SELECT name FROM usrs"));
      expect(table.hints[0]).toMatch(/usrs.*; did you mean users\? Tables: log, users$/);
    });

    it("says what to write in place of another database's form and of a text in double quotes", async () => {
      const isSqlite = fixture.target.dialect === "sqlite";
      const foreign = isSqlite ? "date_trunc('day', name)" : "name + name";
      const { hints } = await failureOf(run(`SELECT ${foreign} FROM users`));
      expect(hints.join("\n")).toContain(isSqlite ? "`date(value)`" : "`name || part`");
      const quoted = await failureOf(run('SELECT id FROM users WHERE name = "Ada"'));
      expect(quoted.hints.join("\n")).toContain("'Ada'");
    });

    it("stops a statement at its deadline while others are answered", async () => {
      await Promise.all([run(COUNT_USERS), append("warm")]);
      const startedAt = performance.now();
      const elapsed = async (failing: Promise<unknown>) => {
        const { reason } = await failureOf(failing);
        return { reason, ms: performance.now() - startedAt };
      };
      const timeoutMs = 600;
      const read = elapsed(run(fixture.endlessRead, { timeoutMs }));
      const write = elapsed(run(fixture.endlessWrite, { timeoutMs, intent: "write_insert" }));
      let answered = 0;
      while (performance.now() - startedAt < timeoutMs - 100) {
        expect(await run(COUNT_USERS)).toMatchObject(TWO_USERS);
        answered += 1;
      }
      expect(answered).toBeGreaterThan(0);
      for (const { reason, ms } of [await read, await write]) {
        expect(reason).toBe("timeout");
        expect(ms).toBeGreaterThanOrEqual(timeoutMs - 10);
      }
      await append("next");
      expect(await fixture.lines()).toEqual(["warm", "next"]);
    });

    it("stops a statement when the signal is aborted", async () => {
      const controller = new AbortController();
      const failures = [
        failureOf(run(fixture.endlessRead, {}, controller.signal)),
        failureOf(run(fixture.endlessWrite, { intent: "write_insert" }, controller.signal)),
      ];
      await sleep(400);
      controller.abort();
      expect((await Promise.all(failures)).map(({ reason }) => reason)).toEqual([
        "aborted",
        "aborted",
      ]);
    });

    it("runs nothing for a signal that was aborted before", async () => {
      expect((await failureOf(run(COUNT_USERS, {}, AbortSignal.abort()))).reason).toBe("aborted");
    });

    describe("asked what became of a write", () => {
      it("knows the result, and gives it again instead of writing twice", async () => {
        const attempt = nextStep();
        const result = await append("first", { attempt });
        expect(await fixture.target.settle(attempt, "")).toEqual(result);
        expect(await append("again", { attempt })).toEqual(result);
        expect(await append("again", { attempt: { ...attempt, attempt: 2 } })).toEqual(result);
        expect(await fixture.lines()).toEqual(["first"]);
      });

      it("knows the types of what the write returned", async () => {
        const attempt = nextStep();
        const sql = "INSERT INTO log VALUES ('x') RETURNING 9007199254740993 AS n";
        const result = await run(sql, { attempt, intent: "write_insert" });
        expect(result.columnTypes).toHaveLength(1);
        expect(await fixture.target.settle(attempt, "")).toEqual(result);
      });

      it("makes sure that one which took no effect never does", async () => {
        const attempt = nextStep();
        expect(await fixture.target.settle(attempt, "")).toBeUndefined();
        expect((await failureOf(append("late", { attempt }))).reason).toBe("rolled_back");
        await append("retried", { attempt: { ...attempt, attempt: 2 } });
        expect(await fixture.target.settle(attempt, "")).toMatchObject({ rowCount: 1 });
        expect(await fixture.lines()).toEqual(["retried"]);
      });

      it("keeps steps and organizations apart", async () => {
        const attempt = nextStep();
        await append("x", { attempt });
        await append("y", { attempt: { ...attempt, orgId: "other" } });
        expect(await fixture.lines()).toEqual(["x", "y"]);
      });

      it("says so when it cannot find out", async () => {
        await fixture.target[Symbol.asyncDispose]();
        expect((await failureOf(fixture.target.settle(nextStep(), ""))).reason).toBe("connection");
      });
    });
  });
}

/** What it failed with. */
export async function failureOf(failing: Promise<unknown>): Promise<StatementError> {
  try {
    await failing;
  } catch (error) {
    if (error instanceof StatementError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}
