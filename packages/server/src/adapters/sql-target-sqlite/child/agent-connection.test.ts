import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StatementClass } from "../../../governance/index.js";
import { StatementError, type SqlValue } from "../../../plans/ports.js";
import type { AdmittedStatement } from "../protocol.js";
import { AgentConnection } from "./agent-connection.js";
import { openDataSource } from "./connection.js";

const SCHEMA = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, age INTEGER CHECK (age > 0));
  CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), total REAL);
  CREATE VIRTUAL TABLE docs USING fts5(body);
  INSERT INTO users VALUES (1, 'Ada', 'ada@example.com', 36), (2, 'Bo', 'bo@example.com', NULL);
  INSERT INTO docs VALUES ('some words');
`;

describe("an agent's statement on a connection", () => {
  let folder: string;
  let path: string;
  let owner: DatabaseSyncInstance;
  let reader: AgentConnection;
  let writer: AgentConnection;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "agent-"));
    path = join(folder, "with space & ?.db");
    owner = new DatabaseSync(path);
    owner.exec("PRAGMA journal_mode = WAL");
    owner.exec(SCHEMA);
    reader = new AgentConnection(openDataSource(path, "reader"));
    writer = new AgentConnection(openDataSource(path, "writer"));
  });
  afterEach(() => {
    owner.close();
    rmSync(folder, { recursive: true });
  });

  const run = (sql: string, binds: readonly SqlValue[] = [], over: Over = {}) => {
    const { statementClass = "read_select", tables = [] } = over;
    const connection = statementClass === "read_select" ? reader : writer;
    return connection.run({ sql, binds, intent: statementClass, statementClass, tables });
  };
  const rowsOf = (sql: string, binds?: readonly SqlValue[]): unknown =>
    JSON.parse(run(sql, binds).outputJson);
  const failureOf = (sql: string, binds?: readonly SqlValue[], over?: Over): StatementError => {
    try {
      run(sql, binds, over);
    } catch (error) {
      if (error instanceof StatementError) return error;
      throw error;
    }
    throw new Error("it did not fail");
  };

  it("is given numbers as SQLite would read them in the text", () => {
    const types = "SELECT typeof(?1) AS a, typeof(?2) AS b, typeof(?3) AS c, ?4 / 2 AS half";
    expect(rowsOf(types, [1, 2 ** 40, 1.5, 7])).toEqual([
      { a: "integer", b: "integer", c: "real", half: 3 },
    ]);
    expect(rowsOf("SELECT name FROM users ORDER BY id LIMIT ?1 OFFSET ?2", [1, 1])).toEqual([
      { name: "Bo" },
    ]);
  });

  it("is given text and null as they are, and no text that the engine would cut", () => {
    expect(rowsOf("SELECT ?1 AS a, ?2 AS b", ["é😀'; DROP TABLE users --", null])).toEqual([
      { a: "é😀'; DROP TABLE users --", b: null },
    ]);
    expect(failureOf("SELECT ?1", ["a\0b"])).toMatchObject({
      reason: "statement",
      message: expect.stringContaining("NUL"),
    });
  });

  it("never sees a value that another run of the same text was given", () => {
    const sql = "SELECT ?1 AS a, ?2 AS b";
    expect(rowsOf(sql, ["mine", "secret"])).toEqual([{ a: "mine", b: "secret" }]);
    expect(rowsOf(sql, ["yours"])).toEqual([{ a: "yours", b: null }]);
    expect(failureOf(sql, ["a", "b", "c"]).reason).toBe("statement");
  });

  it("sees the columns there are now, after the schema changed under it", () => {
    const sql = "SELECT * FROM orders";
    expect(run(sql).outputJson).toBe("[]");
    owner.exec("ALTER TABLE orders ADD COLUMN note TEXT DEFAULT 'new'");
    expect(run(sql).outputJson).toBe("[]");
    owner.exec("INSERT INTO orders (user_id, total) VALUES (1, 5)");
    expect(rowsOf(sql)).toEqual([{ id: 1, user_id: 1, total: 5, note: "new" }]);
    owner.exec("ALTER TABLE orders RENAME COLUMN note TO remark");
    expect(rowsOf(sql)).toMatchObject([{ remark: "new" }]);
  });

  it("is run again without a look at the schema's version until the engine has compiled it anew", () => {
    const described = (sql: string): AdmittedStatement => ({
      ...{ sql, binds: [], intent: "read_select", statementClass: "read_select" },
      ...{ tables: [], schemaVersion: 1 },
    });
    const view = described("SELECT * FROM people");
    owner.exec("CREATE VIEW people AS SELECT id FROM users");
    expect(reader.runAgain(view)).toBeUndefined();
    reader.run(view);
    expect(reader.runAgain(view)?.outputJson).toBe('[{"id":1},{"id":2}]');
    owner.exec("INSERT INTO users VALUES (3, 'Cy', NULL, NULL)");
    expect(reader.runAgain(view)?.rowCount).toBe(3);
    owner.exec("DROP VIEW people; CREATE VIEW people AS SELECT email FROM users");
    expect([reader.runAgain(view), reader.runAgain(view)]).toEqual([undefined, undefined]);
    const failing = described("SELECT abs(id) FROM users");
    reader.run(failing);
    owner.exec("ALTER TABLE users RENAME COLUMN id TO key");
    expect(reader.runAgain(failing)).toBeUndefined();
  });

  it("keeps its intent when it is compiled again for a changed schema", () => {
    const sql = "SELECT * FROM users";
    run(sql);
    owner.exec("CREATE TABLE other (a); ALTER TABLE users RENAME TO people");
    owner.exec("CREATE VIEW users AS SELECT * FROM people");
    expect(rowsOf(sql)).toHaveLength(2);
  });

  it("stops counting a result without end", () => {
    const endless =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    expect(run(endless)).toMatchObject({ rowsKept: 10_000, rowCountIsLowerBound: true });
    expect(rowsOf("SELECT count(*) AS n FROM users")).toEqual([{ n: 2 }]);
  });

  it("returns a plan of execution without executing", () => {
    const rows = run("EXPLAIN DELETE FROM users", [], { statementClass: "write_delete" });
    expect(rows.rowCount).toBeGreaterThan(1);
    expect(rowsOf("SELECT count(*) AS n FROM users")).toEqual([{ n: 2 }]);
  });

  it.each([
    [
      "SELECT nme FROM users",
      "no such column: nme; did you mean name? Columns of users: id, name, email, age",
    ],
    [
      "SELECT u.emial FROM users u",
      "no such column: u.emial; did you mean email? Columns of users: id, name, email, age",
    ],
    [
      "SELECT warehouse FROM users",
      "no such column: warehouse. Columns of users: id, name, email, age",
    ],
    ["SELECT * FROM usrs", "no such table: usrs; did you mean users? Tables: docs, orders, users"],
    [
      "SELECT * FROM main.order",
      "no such table: main.order; did you mean orders? Tables: docs, orders, users",
    ],
    ["SELECT id FROM users, orders", "ambiguous column name: id; say which: users.id or orders.id"],
  ])("that names what is not there is told what is: %s", (sql, hint) => {
    const tables = ["users", "orders"].filter((table) => sql.includes(table));
    const failure = failureOf(sql.replace("main.order", 'main."order"'), [], { tables });
    expect([failure.reason, failure.hints]).toEqual(["statement", [hint]]);
  });

  it.each([
    ["INSERT INTO users VALUES (1, 'x', 'y', 1)", "UNIQUE constraint failed: users.id"],
    [
      "INSERT INTO users (name, email) VALUES ('x', 'bo@example.com')",
      "UNIQUE constraint failed: users.email",
    ],
    ["INSERT INTO users (email) VALUES ('x')", "NOT NULL constraint failed: users.name"],
    ["INSERT INTO users (name, age) VALUES ('x', 0)", "CHECK constraint failed: age > 0"],
  ])("that breaks a constraint is told which columns it is about: %s", (sql, message) => {
    const failure = failureOf(sql, [], { statementClass: "write_insert", tables: ["users"] });
    expect([failure.reason, failure.message]).toEqual(["statement", message]);
  });

  it("that inserts into an unknown column is told the known ones", () => {
    const sql = "INSERT INTO users (nam) VALUES ('x')";
    expect(failureOf(sql, [], { statementClass: "write_insert", tables: ["users"] }).hints).toEqual(
      [
        "table users has no column named nam; did you mean name? Columns of users: id, name, email, age",
      ],
    );
  });

  it("that breaks a foreign key is told the foreign keys of its tables", () => {
    const insert = { statementClass: "write_insert", tables: ["orders"] } as const;
    expect(failureOf("INSERT INTO orders VALUES (1, 99, 1)", [], insert).hints).toEqual([
      "FOREIGN KEY constraint failed; foreign keys: orders.user_id references users(id)",
    ]);
    owner.exec("INSERT INTO orders VALUES (1, 1, 1)");
    const remove = { statementClass: "write_delete", tables: ["Users"] } as const;
    expect(failureOf("DELETE FROM users WHERE id = 1", [], remove).hints).toHaveLength(1);
  });

  it.each([
    ["SELECT json_extract('{}', ?1)", ["secret path"]],
    ["SELECT * FROM docs WHERE docs MATCH ?1", ['secret AND "']],
    ["SELECT json(?1)", ["secret"]],
  ])("that fails on a value does not repeat it: %s", (sql, binds) => {
    const failure = failureOf(sql, binds);
    expect(failure.reason).toBe("statement");
    expect(JSON.stringify([failure.message, failure.hints])).not.toContain("secret");
  });

  it("that reads can write nothing, whatever it is", () => {
    const inserting = { statementClass: "read_select" } as const;
    expect(failureOf("INSERT INTO users (name) VALUES ('x')", [], inserting).reason).toBe("intent");
    const bare = openDataSource(path, "reader");
    expect(() => {
      bare.exec("INSERT INTO users (name) VALUES ('x')");
    }).toThrow("readonly");
    bare.close();
  });

  it("that meets another process's lock may be tried again", () => {
    const impatient = new AgentConnection(withoutPatience(openDataSource(path, "writer")));
    owner.exec("BEGIN IMMEDIATE");
    const insert = () =>
      impatient.run({
        sql: "INSERT INTO users (name) VALUES ('x')",
        binds: [],
        intent: "write_insert",
        statementClass: "write_insert",
        tables: ["users"],
      });
    expect(insert).toThrow(
      expect.objectContaining({
        reason: "rolled_back",
        message:
          "Another process has locked the SQLite file of this data source (database is locked): the statement waited up to 5 s and changed nothing; it needs no correction, run it again when that process has ended its transaction",
      }),
    );
    owner.exec("ROLLBACK");
    expect(insert()).toMatchObject({ rowCount: 1 });
  });

  it("that builds up a value beyond all measure is stopped by the engine", () => {
    expect(failureOf("SELECT length(zeroblob(100000000))").message).toBe("string or blob too big");
  });
});

interface Over {
  readonly statementClass?: StatementClass;
  readonly tables?: readonly string[];
}

function withoutPatience(db: DatabaseSyncInstance): DatabaseSyncInstance {
  db.exec("PRAGMA busy_timeout = 0");
  return db;
}
