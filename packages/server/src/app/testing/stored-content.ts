import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient, type PlanStepDef, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase } from "@steward/test-postgres";
import { expect, vi } from "vitest";
import pg from "pg";
import { parseExportTarget } from "../../audit-export/ports.js";
import { WEBHOOK_EVENTS } from "../../webhooks/index.js";
import { DisposalStack } from "../../kernel/disposal.js";
import { openApp } from "../app.js";
import { auditKeyFile } from "./audit-key-file.js";
import { Receiver } from "./webhook-receiver.js";
import { EVERYTHING } from "../../transport/mcp/testing/mcp-app.js";

const TABLES = `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT,
    email TEXT DEFAULT (lower('NOBODY@SECRET.TEST')));
  CREATE VIEW addresses AS SELECT email AS address FROM customers;
  INSERT INTO customers (id, name, email) VALUES (1, 'Ada', 'ada@secret.test'), (2, 'Bo', 'bo@secret.test');`;

/** A table that only one source has. */
const ONE_MORE = `CREATE TABLE leads (email TEXT); INSERT INTO leads VALUES ('cy@secret.test');`;

/** What the column holds and nothing else contains. */
const SECRET = "@secret.test";

const ALL_SOURCES: readonly PlanStepDef[] = [
  { id: "read", query_template: "SELECT email FROM customers ORDER BY id LIMIT 2" },
  {
    id: "bound",
    query_template: "SELECT {{step.read.output[0].email}} AS word",
    depends_on: ["read"],
  },
  { id: "viewed", query_template: "SELECT * FROM addresses" },
  {
    id: "made",
    query_template:
      "INSERT INTO customers (id, name) SELECT max(id) + 1, 'Eve' FROM customers RETURNING email",
  },
  {
    id: "updated",
    query_template: "UPDATE customers SET name = name WHERE id = 1 RETURNING email",
  },
  // The hint names what the column holds.
  { id: "hinted", query_template: "SELECT id FROM customers WHERE email = 'ada@secret'" },
];

const OF_SOURCE: Readonly<Record<string, readonly PlanStepDef[]>> = {
  shop: [{ id: "failed", query_template: "SELECT json_extract('{}', email) FROM customers" }],
  crm: [
    {
      id: "changing",
      query_template:
        "WITH u AS (UPDATE customers SET name = name WHERE id = 1 RETURNING email) SELECT * FROM u",
    },
    {
      id: "explained",
      query_template: "EXPLAIN SELECT 1 FROM customers WHERE email = {{step.read.output[0].email}}",
      depends_on: ["read"],
    },
    { id: "failed", query_template: "SELECT email::int FROM customers" },
  ],
};
/** Of these the touched data are recorded when they run. */
const UNDER_POLICY: ReadonlySet<string> = new Set(["read", "bound", "made", "failed"]);
const SOURCES: readonly string[] = Object.keys(OF_SOURCE);

/** Only the person root may use the column. */
const POLICY = ["shop/customers", "shop/leads", "crm/customers"]
  .map(
    (
      table,
      index,
    ) => `@id("only-root-${String(index)}") forbid (principal, action in Steward::Action::"statements",
      resource == Steward::Column::"${table}/email")
    unless { principal == Steward::Person::"root" };`,
  )
  .join("\n");

const ORG = randomUUID();
export type CallerName = "root" | "author" | "schema" | "agent" | "stranger";

/** Who asks, with the headers beside the organization. */
const CALLERS: Readonly<Record<CallerName, Readonly<Record<string, string>>>> = {
  root: { "x-user-role": "admin" },
  /** Has run steps before the policy. */
  author: { "x-user-role": "admin" },
  schema: { "x-user-role": "schema" },
  agent: { "x-user-role": "agent", "x-agent-id": "robot", "x-user-id": "root" },
  stranger: { "x-user-role": "admin", "x-org-id": randomUUID() },
};

export const OTHERS: readonly CallerName[] = ["author", "schema", "agent", "stranger"];

export function headersOf(name: CallerName): Readonly<Record<string, string>> {
  return { "x-org-id": ORG, "x-user-id": name, ...CALLERS[name] };
}

/** Whether a text contains a value of the column. */
export function tellsValue(text: string): boolean {
  // A value within JSON within JSON is the same.
  return text.includes(SECRET);
}

/** The ids by which a stored result, or what was made of it, is asked for. */
export type StoredIds = Readonly<
  Record<"plan_id" | "step_id" | "entry_id" | "index" | "data_source", string>
>;

/** A server with results of statements that have read a column which now only one person may read. */
export interface StoredContent extends AsyncDisposable {
  readonly url: string;
  /** The results of a plan, one plan for each source before and after the policy. */
  readonly stored: readonly StoredIds[];
  /** What webhooks were sent. */
  sent(): string;
  /** What was exported of the audit log. */
  exported(): string;
  mcp(name: CallerName): Promise<Client>;
}

export async function openStoredContent(): Promise<StoredContent> {
  const opened = new DisposalStack();
  const directory = mkdtempSync(join(tmpdir(), "steward-stored-"));
  opened.use({
    [Symbol.dispose]: () => {
      rmSync(directory, { recursive: true });
    },
  });
  const receiver = opened.use(await Receiver.listen());
  const database = opened.use(await freshDatabase());
  await makeTables(join(directory, "shop.db"), database.url);
  const organizations = [{ orgId: ORG }];
  const exportFile = join(directory, "audit.jsonl");
  const target = parseExportTarget(`file:${exportFile}`);
  if (target === undefined) throw new Error("a file is a target");
  const app = opened.use(
    await openApp({
      ...{ port: 0, log: silentLog, dataDir: directory },
      databaseUrl: `sqlite:${join(directory, "steward.db")}`,
      dataSources: [
        { name: "shop", url: `sqlite:${join(directory, "shop.db")}`, organizations },
        { name: "crm", url: database.url, organizations },
      ],
      tools: {
        ...{ strict: false, tools: [] },
        webhooks: [receiver.target("good", { events: WEBHOOK_EVENTS })],
      },
      audit: {
        ...{ name: "steward/audit", witnesses: [], exports: [target] },
        keyFile: auditKeyFile(directory),
      },
    }),
  );
  const url = `http://127.0.0.1:${String(app.address.port)}`;
  return {
    url,
    stored: await storeAll(url),
    sent: () =>
      receiver
        .at("/good")
        .map(({ body }) => body)
        .join("\n"),
    exported: () => readFileSync(exportFile, "utf8"),
    mcp: async (name) => {
      const mode = { versionNegotiation: { mode: "auto" as const } };
      const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: {}, ...mode });
      const requestInit = { headers: headersOf(name) };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp${EVERYTHING}`), { requestInit }),
      );
      return opened.use({ client, [Symbol.asyncDispose]: () => client.close() }).client;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function makeTables(file: string, url: string): Promise<void> {
  const db = new DatabaseSync(file);
  db.exec(TABLES + ONE_MORE);
  db.close();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(TABLES);
  await owner.end();
}

/** Runs everything on each source, by one who has lost the right since, and by one who has it. */
async function storeAll(url: string): Promise<readonly StoredIds[]> {
  const as = (name: CallerName): StewardClient =>
    createClient({ baseUrl: url, headers: headersOf(name), maxRetries: 0 });
  const root = as("root");
  const planIds: string[] = [];
  for (const source of SOURCES) planIds.push(...(await storeOn(as("author"), stepsOn(source))));
  await root.policies.putPolicies({ version: 0, text: POLICY });
  for (const source of SOURCES) {
    const steps = stepsOn(source).filter(({ id }) => UNDER_POLICY.has(id));
    planIds.push(...(await storeOn(root, steps)));
  }
  await vi.waitFor(async () => {
    expect(await root.memory.getMemoryStats()).toMatchObject({ waiting_calls: 0 });
  }, 60_000);
  return (await Promise.all(planIds.map((planId) => idsOf(root, planId)))).flat();
}

function stepsOn(source: string): readonly PlanStepDef[] {
  const own = OF_SOURCE[source] ?? [];
  return [...ALL_SOURCES, ...own].map((step) => ({ ...step, data_source: source }));
}

/** @returns a plan that was cancelled, and one that has failed: their events end. */
async function storeOn(
  { plans }: StewardClient,
  steps: readonly PlanStepDef[],
): Promise<readonly string[]> {
  const later = { id: "later", query_template: "SELECT 1" };
  const whole = { name: "stored", on_failure: "pause" as const, steps: [...steps, later] };
  const { plan_id: cancelled } = await plans.submit(whole);
  for (const { id } of steps) await plans.execute(cancelled, id);
  await plans.cancelPlan({ plan_id: cancelled });
  const failing = steps.filter(({ id }) => id === "failed");
  const { plan_id: failed } = await plans.submit({ name: "failed", steps: failing });
  await plans.execute(failed, "failed");
  return [cancelled, failed];
}

async function idsOf(
  { plans, memory, audit }: StewardClient,
  planId: string,
): Promise<StoredIds[]> {
  const { steps } = await plans.getPlan({ plan_id: planId });
  const { entries } = await memory.listMemoryEntries({ limit: 200 });
  const { records } = await audit.listAuditRecords({ subject: planId, limit: 200 });
  return steps
    .filter(({ status }) => status !== "skipped")
    .map(({ step_id }) => {
      const entry = entries.find(({ content }) => {
        const told = JSON.parse(content) as Readonly<Record<string, string>>;
        return told["plan_id"] === planId && told["step_id"] === step_id;
      });
      const record = records.find(({ values }) => values?.["call.step_id"] === step_id);
      return {
        ...{ plan_id: planId, step_id, entry_id: entry?.entry_id ?? "" },
        ...{ index: String(record?.index ?? 0), data_source: "shop" },
      };
    });
}
