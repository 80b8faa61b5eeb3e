import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import type { Intent } from "../../governance/index.js";
import type { StatementRequest } from "../../plans/ports.js";
import { failureOf, runStatement } from "./run-statement.js";
import { statementEndBattery } from "./statement-end-battery.js";
import { COUNT_USERS, TWO_USERS, type TargetFixture } from "./target-fixture.js";

/** What every data source does, whatever its engine (`SqlTarget`). */
export function sqlTargetBattery(
  engine: string,
  open: (slots?: number) => Promise<TargetFixture>,
): void {
  statementEndBattery(engine, open);
  describe(`a data source on ${engine}`, () => {
    let fixture: TargetFixture;

    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(async () => {
      await fixture[Symbol.asyncDispose]();
    });

    const run = (sql: string, over?: Partial<StatementRequest>, signal?: AbortSignal) =>
      runStatement(fixture.target, sql, over, signal);
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
      expect(hints.join("\n")).toContain(
        isSqlite ? "strftime('%Y-%m-%d', name)" : "`name || part`",
      );
      const quoted = await failureOf(run('SELECT id FROM users WHERE name = "Ada"'));
      expect(quoted.hints.join("\n")).toContain("'Ada'");
    });
  });
}
