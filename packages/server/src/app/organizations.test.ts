/**
 * Data sources that are bound to organizations, on a server behind a trusted proxy, with real
 * PostgreSQL and row-level security. Each data source has one session, so steps of both
 * organizations alternate on it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { send } from "../testing/schema-plans.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const B = "bbbbbbbb-0000-4000-8000-000000000002";
const STRANGER = "cccccccc-0000-4000-8000-000000000003";
const SECRET = "correct-horse-battery-staple";
const auth = { headers: { trustedProxies: [], proxySecrets: [SECRET] } };

let dir: string;
let database: TestDatabase;
let roles: { readonly login: string; readonly a: string; readonly b: string };
let app: App;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "steward-organizations-"));
  database = await freshDatabase();
  const login = `${database.name}_login`;
  roles = { login, a: `${database.name}_a`, b: `${database.name}_b` };
  await database.query(`
    CREATE ROLE ${roles.a};
    CREATE ROLE ${roles.b};
    CREATE ROLE ${login} LOGIN PASSWORD 'few' IN ROLE ${roles.a}, ${roles.b};
    CREATE TABLE notes (id int PRIMARY KEY, org_id uuid NOT NULL, note text NOT NULL);
    INSERT INTO notes VALUES (1, '${A}', 'of A'), (2, '${B}', 'of B');
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON notes USING (org_id = current_setting('steward.org_id')::uuid);
    CREATE TABLE only_a (secret_of_a text);
    INSERT INTO only_a VALUES ('A only');
    CREATE TABLE checked (id int PRIMARY KEY, by text DEFAULT current_user);
    CREATE VIEW who AS SELECT current_user AS role, session_user AS login,
      current_setting('steward.org_id') AS org_id;
    CREATE VIEW notes_of_invoker WITH (security_invoker) AS SELECT note FROM notes;
    GRANT SELECT ON notes_of_invoker TO ${login}, ${roles.a}, ${roles.b};
    GRANT SELECT, INSERT, UPDATE, DELETE ON notes, checked TO ${login}, ${roles.a}, ${roles.b};
    GRANT SELECT, INSERT, UPDATE, DELETE ON only_a TO ${roles.a};
    GRANT SELECT ON who TO ${login}, ${roles.a}, ${roles.b};
    GRANT CREATE ON SCHEMA public TO ${login}`);
  const own = new DatabaseSync(join(dir, "own.db"));
  own.exec("CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('own thing of B')");
  own.close();
  const files = new DatabaseSync(join(dir, "files.db"));
  files.exec("CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('thing of A')");
  files.close();
  app = await openWith(dir);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await database.query(
    `REASSIGN OWNED BY ${roles.login} TO CURRENT_USER; DROP OWNED BY ${roles.login}`,
  );
  await database.query(`DROP OWNED BY ${roles.a}, ${roles.b}`);
  await database.query(`DROP ROLE ${roles.login}, ${roles.a}, ${roles.b}`);
  await database[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

/** The login of steps: a role that owns nothing. */
function loginUrl(): string {
  const url = new URL(database.url);
  url.username = roles.login;
  url.password = "few";
  return url.href;
}

function openWith(dataDir: string): Promise<App> {
  const url = loginUrl();
  const files = `sqlite:${join(dir, "files.db")}`;
  return openApp({
    port: 0,
    logLevel: "silent",
    dataDir,
    databaseUrl: `sqlite:${join(dataDir, "store.db")}`,
    sessionsMax: 1,
    stepTimeoutMs: 1_000,
    dataSources: [
      { name: "rows", url, organizations: [{ orgId: A }, { orgId: B }] },
      {
        name: "roles",
        url,
        organizations: [
          { orgId: A, role: roles.a },
          { orgId: B, role: roles.b },
        ],
      },
      {
        name: "files",
        url: files,
        organizations: [{ orgId: A }, { orgId: B, url: `sqlite:${join(dir, "own.db")}` }],
      },
      { name: "unlisted", url: files },
    ],
    tools: {
      strict: true,
      tools: ["rows", "roles", "files", "unlisted"].map((name) => ({ name, dataSource: name })),
    },
    auth,
  });
}

const identity = (org: string, more: object = {}): Readonly<Record<string, string>> => ({
  "x-org-id": org,
  "x-proxy-secret": SECRET,
  "x-user-role": "admin",
  ...more,
});

interface Outcome {
  readonly status?: string;
  /** The error of a failed step or of a refusal. */
  readonly error: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly hints: string;
}

/** Runs one statement as a plan. */
async function run(org: string, tool: string, sql: string, intent?: string): Promise<Outcome> {
  const step = { id: "s", tool_name: tool, query_template: sql, ...(intent && { intent }) };
  const plan = (await send(app, "POST /api/plans", { steps: [step] }, identity(org))) as {
    plan_id?: string;
    error?: string;
  };
  if (plan.plan_id === undefined) return { error: JSON.stringify(plan), rows: [], hints: "" };
  const path = `POST /api/plans/${plan.plan_id}/steps/s/execute`;
  const done = (await send(app, path, undefined, identity(org))) as {
    step_result?: { status: string; error?: { message: string } };
    llm_context_update?: { tool_output_json: string; augmentation_hints: string[] };
    error?: string;
  };
  const output = done.llm_context_update?.tool_output_json ?? "";
  return {
    status: done.step_result?.status ?? "refused",
    error: done.step_result?.error?.message ?? done.error ?? "",
    rows: output === "" ? [] : (JSON.parse(output) as Outcome["rows"]),
    hints: (done.llm_context_update?.augmentation_hints ?? []).join("\n"),
  };
}

describe("row-level security", () => {
  it("knows the organization of each statement, also after errors and time-outs of the other's", async () => {
    const mine = async (org: string, note: string): Promise<void> => {
      const { rows } = await run(org, "rows", "SELECT note FROM notes");
      expect(rows).toEqual([{ note }]);
      const [who] = (await run(org, "rows", "SELECT * FROM who")).rows;
      expect(who).toEqual({ role: roles.login, login: roles.login, org_id: org });
    };
    await mine(A, "of A");
    await mine(B, "of B");
    expect((await run(A, "rows", "SELECT 1 / 0 AS x")).status).toBe("failed");
    await mine(B, "of B");
    const endless = "WITH RECURSIVE n(i) AS (VALUES (1::bigint) UNION ALL SELECT i + 1 FROM n)";
    const stopped = await run(A, "rows", `${endless} SELECT count(*) FROM n`);
    expect(stopped).toMatchObject({ status: "failed" });
    await mine(B, "of B");
    const changed = await run(B, "rows", "UPDATE notes SET note = 'of B, again'", "write_update");
    expect(changed.status).toBe("completed");
    const others = await run(A, "rows", `INSERT INTO notes VALUES (3, '${B}', 'forged')`);
    expect(others.error).toContain("row-level security");
    await mine(A, "of A");
    await mine(B, "of B, again");
  });

  it.each([
    "EXPLAIN (ANALYZE, COSTS OFF) SELECT id FROM notes WHERE note >= 'of' AND note < 'og'",
    "EXPLAIN SELECT id FROM notes WHERE note = 'of B'",
    "EXPLAIN WITH n AS (SELECT note FROM public.notes) SELECT 1 WHERE EXISTS (SELECT FROM n)",
    "EXPLAIN SELECT * FROM notes_of_invoker",
  ])("refuses an EXPLAIN, whose figures count the rows of others: %s", async (sql) => {
    expect(await run(A, "rows", sql)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("row-level security") as unknown,
    });
  });

  it("has no estimate in a dry run, and has one for other tables", async () => {
    const steps = ["notes", "checked"].map((table) => ({
      ...{ id: table, tool_name: "rows", query_template: `SELECT * FROM ${table}` },
    }));
    const planned = await send(app, "POST /api/plans?dry_run=true", { steps }, identity(A));
    const [notes, checked] = (planned as { steps: readonly object[] }).steps;
    expect(notes).not.toHaveProperty("estimated_rows");
    expect(checked).toHaveProperty("estimated_rows");
  });

  it("leaves EXPLAIN of other tables", async () => {
    const explained = await run(A, "rows", "EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM checked");
    expect(explained.status).toBe("completed");
  });

  it("keeps its organization when a statement with values is declared anew", async () => {
    const steps = [
      { id: "id", tool_name: "roles", query_template: "SELECT 1 AS id" },
      {
        id: "s",
        tool_name: "roles",
        depends_on: ["id"],
        // An integer is compared with text, so the statement is sent twice.
        query_template: "SELECT * FROM who WHERE org_id <> {{step.id.output[0].id}}",
      },
    ];
    const { plan_id: plan } = (await send(app, "POST /api/plans", { steps }, identity(A))) as {
      plan_id: string;
    };
    await send(app, `POST /api/plans/${plan}/steps/id/execute`, undefined, identity(A));
    const done = (await send(
      app,
      `POST /api/plans/${plan}/steps/s/execute`,
      undefined,
      identity(A),
    )) as { llm_context_update: { tool_output_json: string } };
    expect(done.llm_context_update.tool_output_json).toContain(`"role":"${roles.a}"`);
  });
});

describe("a role of an organization", () => {
  it("is that of its statements and of no other organization's, whatever became of them", async () => {
    const isAs = async (org: string, role: string): Promise<void> => {
      const [who] = (await run(org, "roles", "SELECT * FROM who")).rows;
      expect(who).toEqual({ role, login: roles.login, org_id: org });
    };
    await isAs(A, roles.a);
    await isAs(B, roles.b);
    expect((await run(A, "roles", "SELECT secret_of_a FROM only_a")).rows).toHaveLength(1);
    const denied = await run(B, "roles", "SELECT secret_of_a FROM only_a");
    expect(denied.error).toContain("permission denied");
    await isAs(A, roles.a);
    // The hint for a mistake names only what the organization's role may read; the login role may
    // read more.
    const mistaken = await run(B, "roles", "SELECT * FROM only_b");
    expect(mistaken.error + mistaken.hints).not.toContain("only_a");
    expect((await run(B, "roles", "INSERT INTO checked (id) VALUES (2)")).status).toBe("completed");
    expect((await run(A, "roles", "INSERT INTO checked (id) VALUES (2)")).status).toBe("failed");
    expect((await run(A, "roles", "INSERT INTO checked (id) VALUES (1)")).status).toBe("completed");
    await isAs(B, roles.b);
    expect((await run(A, "rows", "SELECT by FROM checked ORDER BY id")).rows).toEqual([
      { by: roles.a },
      { by: roles.b },
    ]);
  });

  it("cannot be changed by a statement, and neither can the organization", async () => {
    const attempts = [
      `SET ROLE ${roles.a}`,
      "SET LOCAL ROLE NONE",
      "RESET ROLE",
      "RESET ALL",
      "DISCARD ALL",
      "SET SESSION AUTHORIZATION DEFAULT",
      `SET steward.org_id = '${A}'`,
      `SET LOCAL "steward.org_id" TO '${A}'`,
      "RESET steward.org_id",
      `SELECT set_config('steward.org_id', '${A}', true)`,
      `SELECT pg_catalog.set_config('steward.org_id', '${A}', false)`,
      `SELECT "set_config"('role', '${roles.a}', true)`,
      `SELECT U&"set\\005fconfig"('role', 'none', true)`,
      `SELECT * FROM set_config('role', 'none', true)`,
      `WITH x AS MATERIALIZED (SELECT set_config('steward.org_id', '${A}', true)) SELECT notes.* FROM x, notes`,
      `INSERT INTO checked (id, by) VALUES (9, set_config('role', 'none', true))`,
      `UPDATE pg_settings SET setting = '${A}' WHERE name = 'steward.org_id'`,
      `UPDATE pg_catalog.pg_settings SET setting = 'none' WHERE name = 'role'`,
      `ALTER ROLE CURRENT_USER SET steward.org_id = '${A}'`,
      `ALTER DATABASE ${database.name} SET steward.org_id = '${A}'`,
      `ALTER SYSTEM SET steward.org_id = '${A}'`,
      `DO $$ BEGIN EXECUTE 'RESET ROLE'; END $$`,
      `CREATE FUNCTION free() RETURNS void LANGUAGE sql SET role = 'none' AS 'SELECT'`,
      `CREATE VIEW free AS SELECT set_config('role', 'none', true)`,
      `SELECT query_to_xml('SELECT set_config(''role'', ''none'', true)', true, true, '')`,
      `EXPLAIN ANALYZE SELECT set_config('role', 'none', true)`,
      "BEGIN; RESET ROLE",
      "SELECT 1; RESET ROLE",
      "COMMIT",
      "ROLLBACK TO SAVEPOINT steward_before_statement",
    ];
    for (const sql of attempts) {
      for (const intent of ["read_select", "write_update", "admin"]) {
        for (const tool of ["roles", "rows"]) {
          const outcome = await run(B, tool, sql, intent);
          expect(`${sql}: ${outcome.status ?? "refused"}`).not.toContain("completed");
          expect(outcome.error).not.toBe("");
        }
      }
    }
    const [who] = (await run(B, "roles", "SELECT * FROM who")).rows;
    expect(who).toEqual({ role: roles.b, login: roles.login, org_id: B });
  }, 60_000);
});

describe("a data source", () => {
  it("is each organization's own where it has a URL of its own", async () => {
    const names = async (org: string): Promise<unknown> =>
      (await run(org, "files", "SELECT name FROM things")).rows;
    expect(await names(A)).toEqual([{ name: "thing of A" }]);
    expect(await names(B)).toEqual([{ name: "own thing of B" }]);
    const dump = "GET /api/state/schema?database=files";
    expect(await send(app, dump, undefined, identity(B))).toMatchObject({ database: "files" });
  });

  it("is closed to organizations that are not listed, and to all where none is", async () => {
    const denied = { code: "POLICY_DENIED" };
    for (const [org, tool] of [
      [STRANGER, "rows"],
      [STRANGER, "files"],
      [A, "unlisted"],
    ] as const) {
      const steps = [{ id: "s", tool_name: tool, query_template: "SELECT 1" }];
      expect(await send(app, "POST /api/plans", { steps }, identity(org))).toMatchObject({
        ...denied,
        details: [
          { field: "steps[0].tool_name", reason: expect.stringContaining("tools file") as string },
        ],
      });
      for (const request of [
        `GET /api/state/schema?database=${tool}`,
        `GET /api/state/drift?database=${tool}`,
      ]) {
        expect(await send(app, request, undefined, identity(org))).toMatchObject(denied);
      }
      const proposal = { database: tool, sql: "CREATE TABLE x (y INTEGER)", message: "m" };
      expect(await send(app, "POST /api/state/migrations", proposal, identity(org))).toMatchObject(
        denied,
      );
    }
    const unknown = await send(
      app,
      "GET /api/state/schema?database=x",
      undefined,
      identity(STRANGER),
    );
    expect(JSON.stringify(unknown)).not.toMatch(/rows|roles|files|unlisted/);
  });

  it("that organizations share is migrated and read as a whole by an operator only", async () => {
    const dump = "GET /api/state/schema?database=rows";
    expect(await send(app, dump, undefined, identity(A))).toMatchObject({ code: "POLICY_DENIED" });
    const history = await run(A, "rows", "CREATE TABLE of_a (id int)", "admin");
    expect(history.status).toBe("completed");
    expect(
      await send(app, "GET /api/state/log?from=schemas/rows", undefined, identity(A)),
    ).toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("is refused when a step runs that was submitted before it was closed", async () => {
    const other = join(dir, "closing");
    const source = { name: "files", url: `sqlite:${join(dir, "files.db")}` };
    const options = {
      port: 0,
      logLevel: "silent",
      dataDir: other,
      databaseUrl: `sqlite:${join(dir, "closing.db")}`,
      auth,
    } as const;
    const steps = [{ id: "s", query_template: "SELECT name FROM things" }];
    let plan = "";
    {
      // In a service for one organization, an unlisted data source belongs to it.
      await using open = await openApp({ ...options, dataSources: [source], organization: A });
      expect(await send(open, "POST /api/plans", { steps }, identity(B))).toMatchObject({
        code: "POLICY_DENIED",
      });
      const made = (await send(open, "POST /api/plans", { steps }, identity(A))) as object;
      plan = (made as { plan_id: string }).plan_id;
    }
    await using closed = await openApp({
      ...options,
      dataSources: [{ ...source, organizations: [{ orgId: B }] }],
    });
    const path = `POST /api/plans/${plan}/steps/s/execute`;
    const refused = (await send(closed, path, undefined, identity(A))) as object;
    expect(refused).toMatchObject({ code: "POLICY_DENIED" });
    expect(JSON.stringify(refused)).not.toContain("thing of A");
  });
});

describe("migrations with a URL of their own", () => {
  it("have the rights that they need, and steps do not", async () => {
    const open = (name: string, more: object): Promise<App> =>
      openApp({
        port: 0,
        logLevel: "silent",
        dataDir: join(dir, name),
        databaseUrl: `sqlite:${join(dir, `${name}.db`)}`,
        dataSources: [{ name: "shop", url: loginUrl(), ...more }],
        organization: A,
        auth,
      });
    const propose = async (at: App): Promise<{ migration_id?: string; digest?: string }> => {
      const { sql } = (await send(at, "GET /api/state/schema", undefined, identity(A))) as {
        sql: string;
      };
      const wanted = { database: "shop", sql: `${sql}\n;CREATE TABLE public.migrated (id int);` };
      const proposal = { ...wanted, message: "by the owner" };
      return send(at, "POST /api/state/migrations", proposal, identity(A)) as Promise<object>;
    };
    {
      await using few = await open("few", {});
      expect((await propose(few)).migration_id).toBeUndefined();
    }
    await using owning = await open("owning", { migrationUrl: database.url });
    const { migration_id: id = "", digest } = await propose(owning);
    const run = `POST /api/state/migrations/${id}/apply`;
    expect(await send(owning, run, { digest }, identity(A))).toMatchObject({ status: "applied" });
    const [made] = await database.query(
      "SELECT tableowner = current_user AS is_owners FROM pg_tables WHERE tablename = 'migrated'",
    );
    expect(made).toEqual({ is_owners: true });
    const steps = [{ id: "s", intent: "admin", query_template: "DROP TABLE migrated" }];
    const { plan_id: plan } = (await send(owning, "POST /api/plans", { steps }, identity(A))) as {
      plan_id: string;
    };
    const path = `POST /api/plans/${plan}/steps/s/execute`;
    expect(await send(owning, path, undefined, identity(A))).toMatchObject({
      step_result: {
        status: "failed",
        error: { message: expect.stringContaining("must be owner") as string },
      },
    });
  });
});
