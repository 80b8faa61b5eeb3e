import { freshDatabase, PostgresServer } from "@steward/test-postgres";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { StatementError, type StatementRequest, type StatementResult } from "../../plans/ports.js";
import { failureOf, nextStep, runStatement, statementRequest } from "../testing/run-statement.js";
import { sqlTargetBattery } from "../testing/sql-target-battery.js";
import { PostgresTarget } from "./postgres-target.js";
import { openShop, shopOptions, type Shop } from "./testing/shop.js";

sqlTargetBattery("PostgreSQL", (sessionsMax) =>
  openShop(sessionsMax === undefined ? {} : { sessionsMax }),
);

let shop: Shop;

beforeEach(async () => {
  shop = await openShop({ sessionsMax: 2 });
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
});

/** The table `users` once more, through a connection of its own to the same database. */
const FOREIGN_TABLE = `CREATE EXTENSION postgres_fdw;
  DO $$ BEGIN EXECUTE format('CREATE SERVER near FOREIGN DATA WRAPPER postgres_fdw OPTIONS (%s, dbname %L)',
    $sql$$address$sql$, current_database()); END $$;
  CREATE USER MAPPING FOR CURRENT_USER SERVER near OPTIONS ($login);
  CREATE FOREIGN TABLE far (id integer, name text) SERVER near OPTIONS (table_name 'users')`;

const TIMES = `DROP VIEW IF EXISTS counted, placed, tuned; DROP TABLE IF EXISTS timed;
  CREATE TABLE timed (id integer GENERATED ALWAYS AS IDENTITY, at timestamptz);
  CREATE VIEW placed AS SELECT id FROM timed WHERE ctid = '(0,1)';
  CREATE VIEW counted AS SELECT relpages AS id FROM pg_class;
  CREATE VIEW tuned AS SELECT length(current_setting('application_name')) AS n`;

describe("a write that may not take effect any more", () => {
  it("is asked about before its COMMIT, and rolled back", async () => {
    const message = "its permission has ended";
    const seen: (readonly string[])[] = [];
    const confirm = async (): Promise<never> => {
      seen.push(await shop.lines());
      throw new StatementError("aborted", message);
    };
    const write = statementRequest("INSERT INTO log VALUES ('new')", {
      intent: "write_insert",
      confirm,
    });
    const running = shop.target.run(write, new AbortController().signal);
    await expect(running).rejects.toMatchObject({ reason: "aborted", message });
    expect(seen).toHaveLength(1);
    expect(await shop.lines()).not.toContain("new");
  });
});

describe("a description", () => {
  const describeStatement = (sql: string, intent: StatementRequest["intent"]) =>
    shop.target.describe(
      {
        ...{ sql, intent, parameterCount: sql.includes("$1") ? 1 : 0 },
        ...{ caller: NOBODY, waitMs: 10_000, timeoutMs: 10_000 },
      },
      new AbortController().signal,
    );

  it("has the planner's estimate, for a write too and with values still unknown", async () => {
    await shop.database.query(
      "INSERT INTO log SELECT 'line ' || n FROM generate_series(1, 1000) n; ANALYZE log",
    );
    const read = await describeStatement("SELECT * FROM log", "read_select");
    expect(read.estimate).toEqual({ rows: 1000, cost: expect.any(Number) });
    const write = await describeStatement("UPDATE log SET line = $1", "write_update");
    expect(write.estimate?.rows).toBe(1000);
    const one = await describeStatement("DELETE FROM log WHERE line = $1", "write_delete");
    expect(one.estimate?.rows).toBe(1);
    expect((await shop.lines())[0]).toBe("line 1");
  });

  it.each([
    ["id > random()", ["random"]],
    ["EXISTS (SELECT FROM pg_stat_user_tables WHERE n_tup_upd > 0)", ["pg_stat_user_tables"]],
    ["EXISTS (SELECT FROM pg_statio_user_tables)", ["pg_statio_user_tables"]],
    ["EXISTS (SELECT FROM pg_class)", ["pg_class"]],
    ["EXISTS (SELECT FROM information_schema.tables)", ["tables"]],
    ["id IN (SELECT id FROM counted)", ["pg_class"]],
    ["id < txid_current()", ["txid_current"]],
    ["pg_current_xact_id() IS NOT NULL", ["pg_current_xact_id"]],
    ["pg_current_snapshot() IS NOT NULL", ["pg_current_snapshot"]],
    ["id IN (SELECT n FROM tuned)", ["current_setting"]],
    ["current_date > '2026-01-01'", ["current_timestamp"]],
    ["at < now()", ["now"]],
    ["at < 'now'", ["'now'"]],
    ["at < E'\\x6eow'", ["a date or time"]],
    ["at < U&'!006eow' UESCAPE '!'", ["a date or time"]],
    ["at < 'to'\n'day'", ["a date or time"]],
    ["at BETWEEN date 'yesterday' AND $$Tomorrow 10:00$$", ["'yesterday'", "'tomorrow'"]],
    ["at < ('no' || 'w')::text::timestamptz", ["timestamptz_in"]],
    ["at < '2026-01-01'::date", ["timestamptz_lt_date"]],
    ["ctid = '(0,1)' OR xmin::text = '9' OR xmax::text = '9'", ["ctid", "xmin", "xmax"]],
    ["cmin::text = '0' RETURNING cmax", ["cmin", "cmax"]],
    ["id IN (SELECT id FROM placed)", ["ctid"]],
    ["id > (SELECT last_value FROM timed_id_seq)", ["timed_id_seq"]],
  ] as const)("names what may differ from run to run: %s", async (condition, names) => {
    await shop.database.query(TIMES);
    const sql = `DELETE FROM timed WHERE ${condition}`;
    const { touched } = await describeStatement(sql, "write_delete");
    expect(touched.varying).toEqual(expect.arrayContaining([...names]));
  });

  it("names ids that the database draws, and nothing for what is the same in each run", async () => {
    await shop.database.query(TIMES);
    const insert = "INSERT INTO timed (at) VALUES ('2026-01-01')";
    expect((await describeStatement(insert, "write_insert")).touched.varying).toEqual(["nextval"]);
    for (const sql of [
      "DELETE FROM timed WHERE at < '2026-01-01' AND id + 1 > 2",
      "UPDATE users SET name = 'now' WHERE id = 1",
      "DELETE FROM timed WHERE tableoid = 1",
    ]) {
      expect(
        (await describeStatement(sql, "cross_system_transaction")).touched.varying,
      ).toBeUndefined();
    }
  });

  it("has no estimate of what is not planned", async () => {
    for (const [sql, intent] of [
      ["CREATE TABLE t (n integer)", "admin"],
      ["EXPLAIN SELECT 1", "read_select"],
      ["SELECT $1", "read_select"],
    ] as const) {
      expect((await describeStatement(sql, intent)).estimate?.rows).toBe(
        sql === "SELECT $1" ? 1 : undefined,
      );
    }
  });
});

describe("what PostgreSQL itself refuses or stops", () => {
  it("has a read that writes behind a view refused by the engine", async () => {
    await shop.database.query(`
      CREATE FUNCTION sneak() RETURNS int LANGUAGE sql AS
        $$ INSERT INTO log VALUES ('sneaked in') RETURNING 1 $$;
      CREATE VIEW harmless AS SELECT sneak()`);
    const refused = await failureOf(run("SELECT * FROM harmless"));
    expect([refused.reason, refused.message]).toEqual([
      "intent",
      "cannot execute INSERT in a read-only transaction",
    ]);
    expect(await shop.lines()).toEqual([]);
  });

  it("leaves no statement behind on the server when it is stopped", async () => {
    expect((await failureOf(run(shop.endlessRead, { timeoutMs: 300 }))).reason).toBe("timeout");
    // Its end was reported; the server notes it a moment later.
    await vi.waitFor(async () => expect(await activeStatements()).toBe(0), 60_000);
    expect((await run("SELECT count(*) AS n FROM users")).outputJson).toBe('[{"n":2}]');
  });

  it("has the server end what does not heed a cancel request", async () => {
    await shop.database.query(`
      CREATE FUNCTION stubborn() RETURNS int LANGUAGE plpgsql AS $$
        BEGIN LOOP BEGIN PERFORM pg_sleep(60);
        EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$;
      CREATE VIEW endless AS SELECT stubborn()`);
    const { reason } = await failureOf(run("SELECT * FROM endless", { timeoutMs: 300 }));
    expect(reason).toBe("timeout");
    expect(await activeStatements()).toBe(0);
    expect((await run("SELECT 1 AS n")).outputJson).toBe('[{"n":1}]');
  });

  it("stops a write that waits for somebody's lock", async () => {
    await shop.database.query("BEGIN");
    await shop.database.query("UPDATE users SET name = 'Eve' WHERE id = 1");
    const update = run("UPDATE users SET name = 'Cy'", { intent: "write_update", timeoutMs: 400 });
    expect((await failureOf(update)).reason).toBe("timeout");
    await shop.database.query("ROLLBACK");
    expect((await run("SELECT name FROM users WHERE id = 1")).outputJson).toBe('[{"name":"Ada"}]');
  });

  it("does not take in a row that is too large, and goes on", async () => {
    const { reason, message } = await failureOf(run("SELECT repeat('x', 60000000) AS x"));
    expect([reason, message]).toEqual(["statement", expect.stringContaining("too large")]);
    expect((await run("SELECT 1 AS n")).outputJson).toBe('[{"n":1}]');
  });

  it("cuts a result by its bytes, and counts the rest without fetching it", async () => {
    const sql = "SELECT repeat('x', 1000) AS x FROM generate_series(1, 50000)";
    const { rowCount, rowsKept, outputJson } = await run(sql);
    expect(rowCount).toBe(50_000);
    expect(rowsKept).toBe(JSON.parse(outputJson).length);
    expect(Buffer.byteLength(outputJson)).toBeLessThanOrEqual(2 * 1024 * 1024);
  });
});

describe("the temporary files of PostgreSQL", () => {
  it("are limited where the role may, also after a session was reset, and else as the server says", async () => {
    const limit = "SELECT setting FROM pg_settings WHERE name = 'temp_file_limit'";
    await shop.database.query(`CREATE VIEW temporary_limit AS ${limit}`);
    const read = async (orgId: string) =>
      (await run("SELECT setting FROM temporary_limit", { attempt: nextStep(orgId) })).outputJson;
    for (const orgId of ["one", "another"]) {
      expect(await read(orgId)).toBe(JSON.stringify([{ setting: String(1024 * 1024) }]));
    }
  });
});

describe("a session", () => {
  beforeEach(async () => {
    await shop[Symbol.asyncDispose]();
    shop = await openShop({ sessionsMax: 1 });
  });

  it("is reset before another organization's step", async () => {
    await shop.database.query("CREATE VIEW locking AS SELECT pg_advisory_lock(7) IS NULL AS x");
    const locks = async () =>
      shop.database.query(
        `SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database
         WHERE locktype = 'advisory' AND d.datname = current_database()`,
      );
    await run("SELECT * FROM locking");
    await run("SELECT 1");
    expect(await locks()).toHaveLength(1);
    await run("SELECT 1", { attempt: nextStep("another") });
    expect(await locks()).toHaveLength(0);
  });

  it("keeps no setting of a step, nor depends on those of the role", async () => {
    await shop.database.query(`
      CREATE VIEW setting AS SELECT set_config('DateStyle', 'German', false) AS x;
      ALTER DATABASE ${shop.database.name} SET timezone = 'Asia/Kolkata'`);
    await run("SELECT * FROM setting");
    const sql = "SELECT timestamptz '2026-01-01 00:00+02' AS t, date '2026-02-01' AS d";
    expect((await run(sql)).outputJson).toBe('[{"t":"2025-12-31T22:00:00Z","d":"2026-02-01"}]');
  });

  it("is replaced when the server ends it, also within a statement", async () => {
    await run("SELECT 1");
    const endless = failureOf(run(shop.endlessWrite, { intent: "write_insert" }));
    await vi.waitFor(async () => expect(await activeStatements()).toBe(1), 60_000);
    await terminateOthers();
    const { reason, message } = await endless;
    expect([reason, message]).toEqual([
      "rolled_back",
      expect.stringContaining("nothing was changed"),
    ]);
    // A statement may still reach an ended session before the driver has seen its end.
    const again = (): Promise<StatementResult> => run("SELECT 1 AS n");
    expect((await vi.waitFor(again, 60_000)).outputJson).toBe('[{"n":1}]');
    await terminateOthers();
    expect((await vi.waitFor(again, 60_000)).outputJson).toBe('[{"n":1}]');
  });
});

describe("a server that is stopped as if by a power cut, and started again", () => {
  it("loses and doubles no write that was acknowledged", async () => {
    await using server = await PostgresServer.start();
    await using target = new PostgresTarget(await shopOptions({ url: server.url }));
    const runOn = (sql: string, over: Partial<StatementRequest> = {}) =>
      runStatement(target, sql, over);
    await runOn("CREATE TABLE log (line text)", { intent: "admin" });
    const acknowledged: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const lines = Array.from({ length: 30 }, (_, n) => `${round}.${n}`);
      const writes = lines.map((line) =>
        runOn("INSERT INTO log VALUES ($1)", { intent: "write_insert", binds: [line] }),
      );
      const settled = Promise.allSettled(writes);
      await writes[round];
      await server.stop("immediate");
      const outcomes = await settled;
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === "fulfilled") acknowledged.push(lines[index] ?? "");
        else expect((outcome.reason as StatementError).reason).toMatch(/rolled_back|connection/);
      }
      await server.start();
    }
    const { outputJson } = await runOn("SELECT line FROM log");
    const found = (JSON.parse(outputJson) as { line: string }[]).map((row) => row.line);
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(acknowledged));
    expect(acknowledged.length).toBeGreaterThan(3);
  });
});

describe("a write and its marker on PostgreSQL", () => {
  it("that is given up while it runs takes no effect, and who gives it up does not wait", async () => {
    await shop.database.query(`
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION slow()`);
    await append("first");
    const attempt = nextStep();
    const orphan = failureOf(append("orphan", { attempt }));
    await vi.waitFor(async () => expect(await activeStatements()).toBe(1), 60_000);
    expect(await shop.target.settle(attempt)).toBeUndefined();
    expect(await shop.lines()).toEqual(["first"]);
    expect((await orphan).reason).toBe("rolled_back");
    expect(await shop.lines()).toEqual(["first"]);
  });

  it("of two attempts at the same time takes effect once, and both have its result", async () => {
    await append("warm");
    const attempt = nextStep();
    const results = await Promise.allSettled([
      append("a", { attempt }),
      append("b", { attempt: { ...attempt, attempt: 2 } }),
    ]);
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "fulfilled"]);
    expect(await shop.lines()).toHaveLength(2);
  });

  /**
   * Has a deferred trigger do something at COMMIT. The triggers of a statement run before, so the marker's
   * own trigger defers this one.
   */
  const atCommit = async (work: string): Promise<void> => {
    await run("DELETE FROM users WHERE false", { intent: "write_delete" });
    await shop.database.query(`
      CREATE TABLE late (n int);
      CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${work}; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON late DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION late();
      CREATE FUNCTION defer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        SET CONSTRAINTS ALL DEFERRED; INSERT INTO late VALUES (1); RETURN NULL; END $$;
      CREATE TRIGGER defer AFTER INSERT ON _steward_steps
        FOR EACH ROW WHEN (new.outcome = 'applied') EXECUTE FUNCTION defer()`);
  };

  it("whose connection is lost at COMMIT is settled before anybody is told", async () => {
    await atCommit("PERFORM pg_sleep(5)");
    const lost = failureOf(run("INSERT INTO users VALUES (3, 'Cy')", { intent: "write_insert" }));
    await vi.waitFor(async () => {
      const commits = await shop.database.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND query = 'COMMIT' AND state = 'active'`,
      );
      expect(commits).toHaveLength(1);
    }, 60_000);
    await terminateOthers();
    expect((await lost).reason).toBe("rolled_back");
    expect((await run("SELECT count(*) AS n FROM users")).outputJson).toBe('[{"n":2}]');
  });

  it("whose COMMIT has no clear answer is settled before anybody is told", async () => {
    await atCommit(
      "RAISE EXCEPTION 'could not commit transaction for shard' USING ERRCODE = 'XX000'",
    );
    const failed = failureOf(run("INSERT INTO users VALUES (3, 'Cy')", { intent: "write_insert" }));
    expect((await failed).message).toContain("could not commit transaction");
    const markers = await shop.database.query("SELECT outcome FROM _steward_steps ORDER BY 1");
    expect(markers).toEqual([{ outcome: "applied" }, { outcome: "fenced" }]);
    expect((await run("SELECT count(*) AS n FROM users")).outputJson).toBe('[{"n":2}]');
  });

  it("that fails for its grouping, its types or a missing value is told the fix", async () => {
    await shop.database.query("CREATE TABLE visits (ward text NOT NULL, beds int)");
    const hintOf = async (...asked: Parameters<typeof run>): Promise<string | undefined> =>
      (await failureOf(run(...asked))).hints[0];
    expect(await hintOf("SELECT ward, count(*) FROM visits")).toMatch(
      /; add ward to GROUP BY, or select an aggregate of it such as max\(ward\)$/,
    );
    expect(await hintOf("SELECT beds FROM visits WHERE ward = beds")).toMatch(
      /; cast one side of = to the type of the other: CAST\(… AS …\)$/,
    );
    await shop.database.query(
      `CREATE SCHEMA crm; CREATE TABLE crm."Notes" ("Id" int, "user" text, "a ""b""" int)`,
    );
    expect(await hintOf('SELECT Id FROM crm."Notes"')).toMatch(
      /; did you mean "Id"\? Columns of crm\."Notes": "Id", "user", "a ""b"""$/,
    );
    expect(await hintOf('SELECT "Id" FROM crm.Notes')).toMatch(/; did you mean crm\."Notes"\? /);
    const insert = "INSERT INTO visits (beds) VALUES (3)";
    expect(await hintOf(insert, { intent: "write_insert" })).toMatch(
      /; give ward a value that is not NULL$/,
    );
  });

  it.each([
    ["within a WITH", "WITH gone AS (DELETE FROM much RETURNING n) SELECT count(*) FROM gone"],
    ["of a statement that EXPLAIN ANALYZE runs", "EXPLAIN ANALYZE DELETE FROM much"],
    ["by a trigger", "UPDATE users SET name = 'x' WHERE id = 1"],
    ["by a deferred trigger", "UPDATE users SET name = 'x' WHERE id = 2"],
    ["by a rule", "DELETE FROM ruled"],
    ["in partitions", "DELETE FROM parts"],
  ])("counts rows that are changed %s", async (_, sql) => {
    await shop.database.query(`
      CREATE TABLE much (n int); INSERT INTO much SELECT generate_series(1, 46);
      CREATE TABLE parts (n int) PARTITION BY LIST (n);
      CREATE TABLE parts_1 PARTITION OF parts DEFAULT; INSERT INTO parts SELECT generate_series(1, 46);
      CREATE VIEW ruled AS SELECT 1 AS n;
      CREATE RULE ruled AS ON DELETE TO ruled DO INSTEAD DELETE FROM much;
      CREATE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN DELETE FROM much; RETURN NULL; END $$;
      CREATE TRIGGER gone AFTER UPDATE ON users FOR EACH ROW WHEN (new.id = 1) EXECUTE FUNCTION gone();
      CREATE CONSTRAINT TRIGGER later AFTER UPDATE ON users DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (new.id = 2) EXECUTE FUNCTION gone()`);
    const limited = { intent: "cross_system_transaction", rowsChangedMax: 45 } as const;
    const failed = await failureOf(run(sql, limited));
    expect(failed.message).toMatch(/changed 4[67] rows; at most 45/);
    expect((await run("SELECT count(*) AS n FROM much")).outputJson).toBe('[{"n":46}]');
    await run(sql, { ...limited, rowsChangedMax: 47 });
  });

  it.each([
    ["by the statement", "TRUNCATE users"],
    ["by a trigger", "UPDATE log SET line = ''"],
  ])("refuses TRUNCATE %s, unless a policy permits what is not counted", async (_, sql) => {
    await shop.database.query(`
      INSERT INTO log VALUES ('a');
      CREATE FUNCTION emptied() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN TRUNCATE users; RETURN NULL; END $$;
      CREATE TRIGGER emptied AFTER UPDATE ON log FOR EACH ROW EXECUTE FUNCTION emptied();`);
    const failed = await failureOf(run(sql, { intent: "cross_system_transaction" }));
    expect(failed.message).toContain("rows that TRUNCATE");
    expect((await run("SELECT count(*) AS n FROM users")).outputJson).toBe('[{"n":2}]');
    await run(sql, { intent: "cross_system_transaction", mayChangeUncounted: true });
    expect((await run("SELECT count(*) AS n FROM users")).outputJson).toBe('[{"n":0}]');
  });

  it.each([
    ["in a foreign table", "foreign table far", FOREIGN_TABLE, "UPDATE far SET name = 'x'"],
    [
      "where the database has statistics switched off",
      "track_counts = off",
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_counts = off', current_database()); END $$",
      "UPDATE users SET name = 'x'",
    ],
  ])(
    "refuses changes %s, unless a policy permits what is not counted",
    async (_, named, setUp, sql) => {
      const { port, username, password, hostname } = new URL(shop.database.url);
      await shop.database.query(
        setUp
          .replace("$address", `host '${hostname}', port '${port === "" ? "5432" : port}'`)
          .replace(
            "$login",
            `"user" '${decodeURIComponent(username)}', password '${decodeURIComponent(password)}'`,
          ),
      );
      const failed = await failureOf(run(sql, { intent: "write_update" }));
      expect(failed.message).toContain(named);
      const names = "SELECT min(name) AS name FROM users";
      expect((await run(names)).outputJson).toBe('[{"name":"Ada"}]');
      await run(sql, { intent: "write_update", mayChangeUncounted: true });
      expect((await run(names)).outputJson).toBe('[{"name":"x"}]');
    },
  );

  it("that a deferred constraint refuses at COMMIT leaves nothing behind", async () => {
    await shop.database.query(`CREATE TABLE pairs (
      a int REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED)`);
    const failed = await failureOf(run("INSERT INTO pairs VALUES (9)", { intent: "write_insert" }));
    expect(failed.reason).toBe("statement");
    expect(failed.hints[0]).toContain("pairs.a references users(id)");
    expect((await run("SELECT count(*) AS n FROM pairs")).outputJson).toBe('[{"n":0}]');
  });

  it("loses its result at once when its plan is erased, but not its fence", async () => {
    await shop.target.deleteMarkers("nobody", ["no-plan"]);
    const [first, second, fenced] = [nextStep(), nextStep(), nextStep()];
    await append("first", { attempt: first });
    await append("second", { attempt: { ...second, planId: "other" } });
    await shop.target.settle(fenced);
    const markers = () =>
      shop.database.query("SELECT plan_id, outcome FROM _steward_steps ORDER BY outcome");
    await shop.target.deleteMarkers("another organization", [first.planId]);
    expect(await markers()).toHaveLength(3);
    await shop.target.deleteMarkers(first.orgId, [first.planId]);
    expect(await markers()).toEqual([
      { plan_id: "other", outcome: "applied" },
      { plan_id: fenced.planId, outcome: "fenced" },
    ]);
    expect((await failureOf(append("late", { attempt: fenced }))).reason).toBe("rolled_back");
  });

  it("is forgotten with the next write", async () => {
    const attempt = nextStep();
    await append("first", { attempt });
    shop.target.forget(attempt);
    await append("second");
    expect(await shop.database.query("SELECT FROM _steward_steps")).toHaveLength(1);
  });
});

describe("a role with settings of its own", () => {
  it("has no influence on what a statement means, nor on whether a step may write", async () => {
    const role = `settings_${Date.now()}`;
    await using own = await freshDatabase();
    await own.query(`
      CREATE TABLE log (line text);
      CREATE ROLE ${role} LOGIN PASSWORD 'not-a-secret-1';
      GRANT CREATE ON SCHEMA public TO ${role}; GRANT SELECT, INSERT ON log TO ${role};
      ALTER ROLE ${role} SET default_transaction_read_only = on;
      ALTER ROLE ${role} SET array_nulls = off;
      ALTER ROLE ${role} SET transform_null_equals = on`);
    const url = new URL(own.url);
    [url.username, url.password] = [role, "not-a-secret-1"];
    const target = new PostgresTarget(await shopOptions({ url: url.href }));
    const runAs = (sql: string, intent: StatementRequest["intent"]) =>
      runStatement(target, sql, { intent });
    const sql = "SELECT 1 = NULL AS a, '{NULL}'::text[] = ARRAY[NULL::text] AS b";
    expect((await runAs(sql, "read_select")).outputJson).toBe('[{"a":null,"b":true}]');
    expect((await runAs("INSERT INTO log VALUES ('x')", "write_insert")).rowCount).toBe(1);
    await target[Symbol.asyncDispose]();
    await own.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});

/** The SQL that a failure's hint asks somebody to run. */
function fixIn({ hints }: StatementError): string {
  return /`([^`]+)`/.exec(hints.join("\n"))?.[1] ?? "";
}

describe("a role that may do little", () => {
  it("reads without the marker table, and is told the SQL to run before it writes", async () => {
    const role = `reader_${Date.now()}`;
    await shop.database.query(`
      -- As it is since PostgreSQL 15.
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      CREATE ROLE ${role} LOGIN PASSWORD 'not-a-secret-1';
      GRANT SELECT ON users TO ${role}; GRANT SELECT, INSERT ON log TO ${role}`);
    const url = new URL(shop.database.url);
    [url.username, url.password] = [role, "not-a-secret-1"];
    await using target = new PostgresTarget(await shopOptions({ url: url.href }));
    const runAs = (sql: string, intent: StatementRequest["intent"]) =>
      runStatement(target, sql, { intent });
    expect((await runAs("SELECT count(*) AS n FROM users", "read_select")).rowCount).toBe(1);
    const insert = "INSERT INTO log VALUES ('x')";
    const refused = await failureOf(runAs(insert, "write_insert"));
    expect(refused.message).toContain("the table _steward_steps is missing");
    // Before anybody is asked to approve the write.
    const { caller } = statementRequest(insert, { intent: "write_insert" });
    const asked = { sql: insert, intent: "write_insert", caller, parameterCount: 0 } as const;
    const decided = { ...asked, forDecision: { binds: [], mayBeKnown: false } };
    const limits = { waitMs: 5_000, timeoutMs: 5_000 };
    const described = target.describe({ ...decided, ...limits }, new AbortController().signal);
    expect(await failureOf(described)).toMatchObject({
      ...{ message: refused.message, hints: refused.hints },
    });
    // A table in the place of the missing one, which the role may not use.
    await shop.database.query(fixIn(refused).replace(/GRANT .*/, ""));
    const ungranted = await failureOf(runAs("INSERT INTO log VALUES ('x')", "write_insert"));
    expect(ungranted.message).toContain("may not use the table _steward_steps");
    await shop.database.query(`GRANT SELECT ON _steward_steps TO ${role}`);
    const unwritable = await failureOf(runAs("INSERT INTO log VALUES ('x')", "write_insert"));
    expect(unwritable).toMatchObject({ message: ungranted.message, hints: ungranted.hints });
    expect(await shop.lines()).toEqual([]);
    await shop.database.query(fixIn(ungranted));
    expect((await runAs("INSERT INTO log VALUES ('x')", "write_insert")).rowCount).toBe(1);
    await shop.database.query("DROP TABLE _steward_steps");
    const again = await failureOf(runAs("INSERT INTO log VALUES ('y')", "write_insert"));
    await shop.database.query(fixIn(again));
    expect((await runAs("INSERT INTO log VALUES ('y')", "write_insert")).rowCount).toBe(1);
    const forbidden = await failureOf(runAs("SELECT * FROM _steward_steps", "read_select"));
    expect(forbidden.message).toContain("belongs to the service");
    const forged = await failureOf(runAs("ALTER TABLE log RENAME TO _steward_steps", "admin"));
    expect(forged.message).toContain("belongs to the service");
    await target[Symbol.asyncDispose]();
    await shop.database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it("that is refused is told so without its password", async () => {
    const url = new URL(shop.database.url);
    url.password = "wrong-password-1";
    await using target = new PostgresTarget(await shopOptions({ url: url.href }));
    const failure = await failureOf(runStatement(target, "SELECT 1"));
    expect([failure.reason, failure.message]).toEqual([
      "statement",
      'The data source refuses the connection: password authentication failed for user "postgres"; the operator of this service must correct its URL',
    ]);
  });

  it("that nobody answers is told to come again", async () => {
    const url = "postgres://nobody:wrong-password-1@127.0.0.1:1/none";
    await using target = new PostgresTarget(await shopOptions({ url }));
    const failure = await failureOf(runStatement(target, "SELECT 1"));
    expect([failure.reason, failure.message]).toEqual([
      "rolled_back",
      "The data source cannot be reached now (ECONNREFUSED); nothing was changed",
    ]);
  });
});

describe("messages", () => {
  it("hold no value that was bound", async () => {
    const cast = run("SELECT $1::int AS n", { binds: ["secret-4711"] });
    expect((await failureOf(cast)).message).toBe(
      "invalid input syntax for type integer: (a bound value)",
    );
    const twice = run("INSERT INTO users VALUES ($1, $2)", {
      binds: [1, "secret-4711"],
      intent: "write_insert",
    });
    expect(JSON.stringify(await failureOf(twice))).not.toContain("secret-4711");
  });

  it("say which cast is missing", async () => {
    const untyped = run("SELECT jsonb_build_object('k', $1)", { binds: [1] });
    expect((await failureOf(untyped)).hints[0]).toContain("{{…}}::text");
  });
});

function run(sql: string, over?: Partial<StatementRequest>): Promise<StatementResult> {
  return runStatement(shop.target, sql, over);
}

function append(line: string, over: Partial<StatementRequest> = {}): Promise<StatementResult> {
  return run("INSERT INTO log VALUES ($1)", { intent: "write_insert", binds: [line], ...over });
}

async function activeStatements(): Promise<number> {
  const rows = await shop.database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
       AND pid <> pg_backend_pid() AND backend_type IN ('client backend', 'parallel worker')`,
  );
  return rows.length;
}

async function terminateOthers(): Promise<void> {
  await shop.database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}
