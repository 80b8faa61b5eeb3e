import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { ERASED_COLUMNS, PLANTED } from "../storage/testing/erased-columns.js";
import { openApp, type App } from "./app.js";
import { type ApiRoute, DescribedOperations, ORG, TARGET } from "./testing/described-operations.js";
import { postgresTestStore, sqliteTestStore, type TestStore } from "./testing/test-store.js";

/**
 * Names of rights stay in records, and are told from other texts by their form (decision 0023). Every recorded operation is asked for with the example of its own description, again and again with a canary
 * in the place of each of its texts, and so are plans; every header that names somebody or something has the canary too. After
 * the erasure of the organization no column of the audit log has it, as text or as bytes, and no other that is erased.
 */
const CANARY = "canaryqzx";
const HEADERS = {
  ...{ "x-user-id": `user-${CANARY}`, "x-session-id": `session-${CANARY}` },
  ...{ "x-request-id": `request-${CANARY}`, "x-orm-model": `model-${CANARY}` },
  ...{ "x-user-permissions": `manage:billing,may ${CANARY}`, "user-agent": CANARY },
};
/** The same as an agent, to whom much is refused, and in a role that nobody knows. */
const OTHERS = [
  { ...HEADERS, "x-agent-id": `agent-${CANARY}` },
  { ...HEADERS, "x-user-role": `role ${CANARY}` },
];

const COLUMNS = {
  SQLite: `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema AS t
    JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT GLOB 'memory_text*'`,
  PostgreSQL: `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE table_schema = 'public'`,
};

/** The columns of the store that have the canary, as text or as bytes. */
async function columnsWithCanary(store: TestStore, engine: keyof typeof COLUMNS) {
  const bytes = Buffer.from(CANARY).toString("hex");
  const found: string[] = [];
  for (const { table, column } of await store.query(COLUMNS[engine])) {
    const [place, name] = [`"${String(table)}"`, `"${String(column)}"`];
    const condition =
      engine === "SQLite"
        ? `instr(lower(hex(CAST(${name} AS BLOB))), '${bytes}') > 0`
        : `strpos(${name}::text, '${CANARY}') > 0 OR strpos(${name}::text, '${bytes}') > 0`;
    const rows = await store.query(`SELECT 1 FROM ${place} WHERE ${condition} LIMIT 1`);
    if (rows.length > 0) found.push(`${String(table)}.${String(column)}`);
  }
  return found.sort();
}

/** The value with the canary in the place of one of its texts, for each of them. */
function withCanary(value: unknown): readonly unknown[] {
  if (typeof value === "string") return [CANARY, `${value} ${CANARY}`];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) =>
    withCanary(part).map((changed) =>
      Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed },
    ),
  );
}

describe.each([
  { engine: "SQLite" as const, open: sqliteTestStore },
  { engine: "PostgreSQL" as const, open: postgresTestStore },
])("an organization that is erased on $engine", ({ engine, open }) => {
  let directory: string;
  let store: TestStore;
  let app: App;
  let operations: DescribedOperations;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "steward-erased-canaries-"));
    store = await open(directory);
    createSampleDatabase(join(directory, "shop.db"));
    app = await start();
    operations = new DescribedOperations(`http://127.0.0.1:${String(app.address.port)}`);
  }, 60_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const start = (): Promise<App> =>
    openApp({
      ...{ port: 0, log: silentLog, dataDir: directory, databaseUrl: store.url },
      dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
      tools: { strict: false, tools: [], webhooks: [TARGET] },
      auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
    });

  const client = (headers: Readonly<Record<string, string>>) =>
    createClient({
      ...{ baseUrl: `http://127.0.0.1:${String(app.address.port)}`, orgId: ORG, role: "operator" },
      ...{ headers, maxRetries: 0 },
    });

  /** Asks with the canary in each text of the body and in each parameter of the path. */
  async function askWithCanaries(route: ApiRoute, ids: Readonly<Record<string, string>>) {
    const named = Object.fromEntries(Object.keys(ids).map((name) => [name, CANARY]));
    await operations.askFor(route, named, HEADERS);
    for (const others of OTHERS) await operations.askFor(route, ids, others);
    for (const example of withCanary(route.example)) {
      await operations.askFor({ ...route, example: example as object }, ids, HEADERS);
    }
    await operations.askFor(route, ids, HEADERS);
  }

  async function makePlans(): Promise<void> {
    const { plans } = client({ ...HEADERS, "idempotency-key": CANARY });
    const step = (id: string, query_template: string) => ({
      ...{ id: `${id}-${CANARY}`, name: CANARY, query_template, tool_name: `query-${CANARY}` },
    });
    const { plan_id } = await plans.submit({
      ...{ name: CANARY, description: CANARY, session_id: `session-${CANARY}`, keep_open: true },
      steps: [
        step("a", `SELECT '${CANARY}' AS word`),
        step("b", `SELECT no_${CANARY} FROM orders`),
      ],
    });
    for (const [index, headers] of [HEADERS, ...OTHERS].entries()) {
      const as = client(headers).plans;
      for (const id of ["a", "b", "c"]) await settled(as.execute(plan_id, `${id}-${CANARY}`));
      const steps = [step(`d${String(index)}`, "SELECT 1")];
      await settled(as.appendSteps({ plan_id, steps }));
      const step_id = `b-${CANARY}`;
      await settled(as.reviseStep({ plan_id, step_id, name: `new ${CANARY}` }));
      await settled(as.forkPlan({ plan_id, step_id }));
    }
    for (const { plan_id: id } of (await plans.listPlans()).plans) {
      await settled(plans.cancelPlan({ plan_id: id }));
    }
  }

  it("leaves no text of a caller in the audit log", async () => {
    const ids = await operations.existingIds();
    await makePlans();
    for (const route of await operations.routes()) await askWithCanaries(route, ids);
    expect((await columnsWithCanary(store, engine)).length).toBeGreaterThan(0);

    // On PostgreSQL a start looks for ended plans that nobody has read to their ends, which erasures wait for.
    await app[Symbol.asyncDispose]();
    app = await start();
    const { retention, audit } = client({ "x-user-id": "eraser" });
    for (const { hold_id } of await retention.listHolds()) await retention.liftHold({ hold_id });
    const { erasure_id } = await retention.beginErasure({ scope: "organization" });
    const isFinished = async () =>
      (await retention.getErasure({ erasure_id })).finished_at !== null;
    await expect.poll(isFinished, { interval: 100 }).toBe(true);

    const left = await columnsWithCanary(store, engine);
    const isErased = (name: string): boolean =>
      name.startsWith("audit_") || ERASED_COLUMNS[name] === PLANTED;
    expect(left.filter(isErased)).toEqual([]);
    // Packed blocks are read by the server.
    let records = 0;
    for await (const record of audit.eachAuditRecord()) {
      expect(JSON.stringify(record)).not.toContain(CANARY);
      records += 1;
    }
    expect(records).toBeGreaterThan(100);
  }, 300_000);
});

/** Waits for a call, which may be refused. */
async function settled(call: Promise<unknown>): Promise<void> {
  await Promise.allSettled([call]);
}
