import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { introspectSqlite } from "./adapters/sqlite-catalog.js";
import { openApp, type App } from "./app.js";
import { systemClock } from "./kernel/clock.js";
import { silentTelemetry } from "./kernel/telemetry.js";
import { NIL_ORG_ID } from "./kernel/caller.js";
import { identify, rootOf, type Schema } from "./schema/index.js";
import { SchemaHistory } from "./schema/schema-history.js";
import { SqliteBlockStores } from "./storage/sqlite/block-stores.js";
import { openSqliteStore } from "./storage/sqlite/store.js";

/** What a step of these tests is submitted with. */
interface StepBody {
  readonly id: string;
  readonly query_template: string;
  readonly intent?: string;
  readonly tool_name?: string;
  readonly depends_on?: readonly string[];
}

interface Commit {
  readonly commit: string;
  readonly author: string;
  readonly message: string;
}

const ADMIN = { "x-user-id": "ada", "x-user-role": "admin" };
const AGENT = { "x-agent-id": "agent-7" };

let dir: string;
let shop: DatabaseSyncInstance;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "steward-steps-"));
  shop = new DatabaseSync(join(dir, "shop.db"));
  shop.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)");
  shop.exec("INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo')");
});
afterEach(() => {
  shop.close();
  rmSync(dir, { recursive: true });
});

const start = (): Promise<App> =>
  openApp({
    port: 0,
    logLevel: "silent",
    dataDir: dir,
    databaseUrl: `sqlite:${join(dir, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(dir, "shop.db")}` }],
  });

async function send(
  app: App,
  request: string,
  body?: object,
  headers: Readonly<Record<string, string>> = ADMIN,
  // Whoever asks knows what was asked for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
): Promise<any> {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(`http://127.0.0.1:${String(app.address.port)}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { readonly data?: unknown };
  return answer.data ?? answer;
}

const submit = async (app: App, steps: readonly StepBody[]): Promise<string> =>
  ((await send(app, "POST /api/plans", { steps })) as { plan_id: string }).plan_id;
const execute = (
  app: App,
  plan: string,
  step: string,
  headers: Readonly<Record<string, string>> = ADMIN,
  // As above.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
): Promise<any> => send(app, `POST /api/plans/${plan}/steps/${step}/execute`, undefined, headers);
const history = (app: App): Promise<readonly Commit[]> =>
  send(app, "GET /api/state/log?from=schemas/shop") as Promise<readonly Commit[]>;
const propose = async (app: App, sql: string): Promise<string> =>
  (
    (await send(app, "POST /api/state/migrations", {
      database: "shop",
      sql,
      message: "a wish",
    })) as { migration_id: string }
  ).migration_id;
const WISH = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)";
const applying = (id: string, more: object = {}): StepBody => ({
  id: "apply",
  tool_name: "state.apply_migration",
  intent: "admin",
  query_template: JSON.stringify({ migration_id: id, ...more }),
});

describe("a step that changes the schema", () => {
  it("leaves a commit that names plan, step and whoever ran it", async () => {
    await using app = await start();
    const plan = await submit(app, [
      { id: "make", query_template: "CREATE TABLE orders (id INTEGER PRIMARY KEY)" },
      { id: "fill", query_template: "INSERT INTO orders VALUES (1)", depends_on: ["make"] },
      { id: "tidy", query_template: "ANALYZE", depends_on: ["fill"] },
    ]);
    for (const step of ["make", "fill", "tidy"]) await execute(app, plan, step, AGENT);
    const [made, first, ...others] = await history(app);
    expect(made).toMatchObject({ author: "agent-7", message: `Run step make of plan ${plan}` });
    expect(first?.message).toBe("Record the schema of shop");
    expect(others).toEqual([]);
    expect(await send(app, "GET /api/state/drift?database=shop")).toMatchObject({
      differences: [],
    });
  });

  it("does not pass off as its own what others changed", async () => {
    await using app = await start();
    const make = (id: string): StepBody => ({ id, query_template: `CREATE TABLE ${id} (a)` });
    const plan = await submit(app, [make("one"), make("two")]);
    await execute(app, plan, "one");
    shop.exec("CREATE TABLE by_hand (a)");
    await execute(app, plan, "two");
    const [two, found, one] = await history(app);
    expect(two?.message).toBe(`Run step two of plan ${plan}`);
    expect(found?.message).toBe(`Found before step two of plan ${plan}: changed by others`);
    const named = await send(
      app,
      `GET /api/state/diff?from=${one?.commit ?? ""}&to=${found?.commit ?? ""}`,
    );
    expect(JSON.stringify(named)).toContain("by_hand");
    expect(JSON.stringify(named)).not.toContain('"two"');
  });

  it("leaves its commit when the process dies before it could", async () => {
    let plan: string;
    {
      await using app = await start();
      plan = await submit(app, [{ id: "make", query_template: "CREATE TABLE orders (a)" }]);
    }
    await dieAfter(plan, "make", async (attempt) => {
      const { SqliteTarget } = await import("./adapters/sql-target-sqlite/index.js");
      const { SqliteAnalyzer } = await import("./adapters/sql-analyzer/index.js");
      const { silentLog } = await import("./kernel/log.js");
      await using target = new SqliteTarget({
        name: "shop",
        path: join(dir, "shop.db"),
        analyzer: new SqliteAnalyzer(),
        log: silentLog,
      });
      const request = { sql: "CREATE TABLE orders (a)", binds: [], intent: "admin" } as const;
      const caller = { orgId: NIL_ORG_ID, roles: [], permissions: [] };
      const rest = { schemaTableHints: [], timeoutMs: 5000, attempt, caller };
      await target.run({ ...request, ...rest }, new AbortController().signal);
    });
    await using app = await start();
    expect(await execute(app, plan, "make")).toMatchObject({
      step_result: { status: "completed", attempt: 1 },
      llm_context_update: { schema_additions: [{ table_name: "orders", operation: "NEW" }] },
    });
    expect((await history(app)).map(({ message }) => message)).toEqual([
      `Run step make of plan ${plan}`,
    ]);
  });

  it("takes effect when its history cannot be kept, and the next one makes up for it", async () => {
    await using app = await start();
    const plan = await submit(app, [
      { id: "one", query_template: "CREATE TABLE one (a)" },
      { id: "two", query_template: "CREATE TABLE two (a)" },
    ]);
    await send(app, "GET /api/state/drift?database=shop");
    const state = new DatabaseSync(join(dir, "state", `${NIL_ORG_ID}.db`));
    state.exec("BEGIN EXCLUSIVE");
    expect(await execute(app, plan, "one")).toMatchObject({ step_result: { status: "completed" } });
    state.exec("ROLLBACK");
    state.close();
    expect(await send(app, "GET /api/state/drift?database=shop")).toMatchObject({
      differences: [{ action: "create", kind: "Table", path: "one" }],
    });
    await execute(app, plan, "two");
    expect((await history(app)).slice(0, 2).map(({ message }) => message)).toEqual([
      `Run step two of plan ${plan}`,
      `Found before step two of plan ${plan}: changed by others`,
    ]);
  }, 60_000);

  it("leads to a history whose head is the schema, whatever the steps were", async () => {
    await using app = await start();
    const table = fc.constantFrom("a", "b", "customers");
    const column = fc.constantFrom("x", "y", "name");
    const statement = fc.oneof(
      table.map((name) => `CREATE TABLE ${name} (x INTEGER PRIMARY KEY, y TEXT)`),
      table.map((name) => `DROP TABLE ${name}`),
      fc.tuple(table, column).map(([name, what]) => `ALTER TABLE ${name} ADD COLUMN ${what} TEXT`),
      fc.tuple(table, column).map(([name, what]) => `ALTER TABLE ${name} DROP COLUMN ${what}`),
      fc.tuple(table, table).map(([name, to]) => `ALTER TABLE ${name} RENAME TO ${to}`),
      fc.tuple(table, column).map(([name, what]) => `CREATE INDEX i ON ${name} (${what})`),
      fc.constant("DROP INDEX i"),
      table.map((name) => `CREATE VIEW v AS SELECT * FROM ${name}`),
      fc.constant("DROP VIEW v"),
      table.map((name) => `CREATE TRIGGER g AFTER DELETE ON ${name} BEGIN DELETE FROM a; END`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 6 }), async (sqls) => {
        const steps = sqls.map((sql, index) => ({ id: `s${String(index)}`, query_template: sql }));
        // One plan each: a step that the engine refuses would end the others'.
        for (const step of steps) await execute(app, await submit(app, [step]), step.id);
        const head = headSchema();
        return rootOf(head) === rootOf(identify(introspectSqlite(shop), head));
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

describe("the tool state.apply_migration", () => {
  it("applies a migration as a step: governed, told, metered and logged like any other", async () => {
    await using app = await start();
    const id = await propose(app, WISH);
    const plan = await submit(app, [applying(id)]);
    const execution = await execute(app, plan, "apply");
    expect(execution).toMatchObject({
      step_result: { status: "completed", row_count: 1 },
      llm_context_update: {
        schema_additions: [{ table_name: "customers", operation: "MODIFIED" }],
        augmentation_hints: [expect.stringContaining("customers has changed")],
      },
    });
    expect(shop.prepare("SELECT name, city FROM customers").all()).toHaveLength(2);
    const migration = await send(app, `GET /api/state/migrations/${id}`);
    expect(migration).toMatchObject({ status: "applied", commits: [expect.any(String)] });
    const [row] = JSON.parse(execution.llm_context_update.tool_output_json) as object[];
    expect(row).toMatchObject({ migration_id: id, commit: migration.commits[0] });
    expect((await history(app))[0]).toMatchObject({
      author: "ada",
      message: `Apply ${id}: a wish (step apply of plan ${plan})`,
    });
    await expect
      .poll(() => send(app, "GET /billing/usage/heatmap"), { timeout: 10_000 })
      .toEqual([expect.objectContaining({ intent: "admin", aau_weight: 5, action_count: 1 })]);
    expect(await execute(app, plan, "apply")).toEqual({ ...execution, replayed: true });
  });

  it("answers a step whose migration is applied already, and changes nothing", async () => {
    await using app = await start();
    const id = await propose(app, WISH);
    await send(app, `POST /api/state/migrations/${id}/apply`, {});
    const plan = await submit(app, [applying(id)]);
    expect(await execute(app, plan, "apply")).toMatchObject({
      step_result: { status: "completed" },
    });
    expect((await send(app, `GET /api/state/migrations/${id}`)).commits).toHaveLength(1);
  });

  it("is called by its one intent, or none, and with a migration only", async () => {
    await using app = await start();
    const id = "11111111-1111-4111-8111-111111111111";
    const refused = async (step: StepBody): Promise<string> =>
      ((await send(app, "POST /api/plans", { steps: [step] })) as { error: string }).error;
    expect(await refused({ ...applying(id), intent: "write_update" })).toContain(
      "is called with the intent admin, not write_update",
    );
    expect(await refused({ ...applying(id), query_template: "SELECT 1" })).toContain("JSON object");
    expect(await refused(applying("none"))).toContain("migration_id must be the UUID");
    expect(await refused(applying(id, { force: true }))).toContain('takes no "force"');
    expect(await refused(applying(id, { accept_data_loss: 1 }))).toContain("true or false");
    const { intent: _, ...bare } = applying(id);
    expect(await submit(app, [bare])).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("names what is in the way in the step's result, and changes nothing", async () => {
    await using app = await start();
    const failure = async (step: StepBody, headers = ADMIN): Promise<string> => {
      const plan = await submit(app, [step]);
      const { step_result: result, error } = await execute(app, plan, "apply", headers);
      return error ?? result.error.message;
    };
    const unknown = "11111111-1111-4111-8111-111111111111";
    expect(await failure(applying(unknown))).toContain("There is no migration");
    const lossy = await propose(app, "CREATE TABLE customers (id INTEGER PRIMARY KEY)");
    expect(await failure(applying(lossy))).toContain("Data would be lost (customers.name");
    const id = await propose(app, WISH);
    expect(
      await failure(applying(id), { ...AGENT, "x-user-id": "", "x-user-role": "agent" }),
    ).toContain("manage:schema");
    shop.exec("CREATE INDEX by_hand ON customers (name)");
    expect(await failure(applying(id))).toContain("create Index by_hand");
    expect((await send(app, `GET /api/state/migrations/${id}`)).status).toBe("proposed");
    shop.exec("DROP INDEX by_hand");
    const plan = await submit(app, [applying(lossy, { accept_data_loss: true })]);
    expect(await execute(app, plan, "apply")).toMatchObject({
      step_result: { status: "completed" },
    });
  });

  it("is applied once when the process dies between the change and its record", async () => {
    let plan: string;
    let id: string;
    {
      await using app = await start();
      id = await propose(app, WISH);
      plan = await submit(app, [applying(id)]);
    }
    await dieAfter(plan, "apply", () => {
      shop.exec(`ALTER TABLE "customers" ADD COLUMN "city" TEXT`);
    });
    await using app = await start();
    const execution = await execute(app, plan, "apply");
    expect(execution).toMatchObject({ step_result: { status: "completed", attempt: 1 } });
    const migration = await send(app, `GET /api/state/migrations/${id}`);
    expect(migration).toMatchObject({ status: "applied", commits: [expect.any(String)] });
    expect(execution.llm_context_update.tool_output_json).toContain(migration.commits[0]);
  });

  it("runs when the process died before the change", async () => {
    let plan: string;
    let id: string;
    {
      await using app = await start();
      id = await propose(app, WISH);
      plan = await submit(app, [applying(id)]);
    }
    await dieAfter(plan, "apply", () => undefined);
    await using app = await start();
    expect(await execute(app, plan, "apply")).toMatchObject({
      step_result: { status: "completed", attempt: 2 },
    });
    expect((await send(app, `GET /api/state/migrations/${id}`)).commits).toHaveLength(1);
  });
});

/** Leaves a step as a process would that dies in it: claimed, its effect done, nothing said. */
async function dieAfter(
  planId: string,
  stepId: string,
  effect: (attempt: {
    orgId: string;
    planId: string;
    stepId: string;
    attempt: number;
  }) => void | Promise<void>,
): Promise<void> {
  await using store = openSqliteStore(join(dir, "store.db"), systemClock, silentTelemetry);
  const ref = { orgId: NIL_ORG_ID, planId, stepId };
  const claim = await store.plans.claimStep(ref, "a process that dies");
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  await effect({ ...ref, attempt: claim.attempt });
}

/** The schema at the head of the history, as it is kept. */
function headSchema(): Schema {
  using store = new SqliteBlockStores(join(dir, "state"), systemClock).open(NIL_ORG_ID, false);
  const head = store && new SchemaHistory(store, systemClock, "shop").head;
  if (head === undefined) throw new Error("nothing is recorded");
  return head.schema;
}
