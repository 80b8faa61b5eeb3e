import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { StewardClient } from "@steward/client";
import { freshDatabase } from "@steward/test-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { EVERYTHING } from "../transport/mcp/testing/mcp-app.js";
import { ShopServer } from "./testing/shop-server.js";

/** Requests that last, whose API key is revoked meanwhile, or whose action policies forbid. */
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const NO_PLANS = `@id("no-plans") @reason("Plans are for people")
  forbid (principal in Steward::Role::"agent", action == Steward::Action::"plans:read", resource);`;
const NO_BRANCH = `@id("no-branch") @reason("The branch is for people")
  forbid (principal in Steward::Role::"agent", action == Steward::Action::"state:write",
    resource == Steward::Branch::"agents");`;

let shop: ShopServer;
let admin: StewardClient;
beforeAll(async () => {
  shop = await ShopServer.open({
    organization: ORG,
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
  });
  admin = shop.client({ orgId: ORG, role: "admin", userId: "root" });
});
afterAll(() => shop[Symbol.asyncDispose]());

/** A new key of an agent, a plan of the agent that stays open, and what causes an event of the plan. */
async function agentWithPlan() {
  const key = await admin.keys.createApiKey({ name: "bot", roles: ["agent"], user_id: "alice" });
  const { plans } = shop.client({ apiKey: key.api_key });
  const step = (id: string) => ({ id, query_template: "SELECT 1 AS n" });
  const { plan_id } = await plans.submit({ name: "p", keep_open: true, steps: [step("a")] });
  let steps = 0;
  const causeEvent = () =>
    admin.plans.appendSteps({ plan_id, steps: [step(`b${String((steps += 1))}`)] });
  return { ...key, plans, plan_id, causeEvent };
}

type Agent = Awaited<ReturnType<typeof agentWithPlan>>;

/** Ends a permission. @returns what gives it back to other agents. */
type End = (agent: Pick<Agent, "key_id">) => Promise<() => Promise<unknown>>;

const revoke: End = async ({ key_id }) => {
  await admin.keys.revokeApiKey({ key_id });
  return () => Promise.resolve();
};

const forbid =
  (policy: string): End =>
  async () => {
    const { text, version } = await admin.policies.getPolicies();
    const put = await admin.policies.putPolicies({ text: `${text}\n${policy}`, version });
    return () => admin.policies.putPolicies({ text, version: put.version });
  };

describe.each([
  ["its API key is revoked", "UNAUTHENTICATED", revoke],
  ["policies forbid to read plans", "POLICY_DENIED", forbid(NO_PLANS)],
] as const)("when %s", (_when, code, end) => {
  /** Ends the permission, waits until it is over for new requests too, and causes events. */
  async function ended(agent: Agent, answer: Promise<unknown>): Promise<unknown> {
    const undo = await end(agent);
    const refused = () => agent.plans.getPlan({ plan_id: agent.plan_id }).catch((e: unknown) => e);
    await expect.poll(refused).toMatchObject({ code });
    let told: unknown;
    void answer.then(
      (value) => (told = value),
      (error: unknown) => (told = error),
    );
    const wait = { timeout: 20_000, interval: 100 };
    await expect.poll(() => agent.causeEvent().then(() => told), wait).toBeDefined();
    await undo();
    return told;
  }

  it("an event stream over REST ends with the refusal", async () => {
    const agent = await agentWithPlan();
    const headers = { authorization: `Bearer ${agent.api_key}` };
    const url = `${shop.baseUrl}/api/plans/${agent.plan_id}/events`;
    const { body } = await fetch(url, { headers });
    const text = await ended(agent, new Response(body).text());
    const [event, data = ""] = String(text).trimEnd().split("\n").slice(-2);
    expect(event).toBe("event: error");
    expect(JSON.parse(data.slice("data: ".length))).toMatchObject({ code });
  });

  it("watching with the client ends with the refusal", async () => {
    const agent = await agentWithPlan();
    const pages = agent.plans.watch(agent.plan_id)[Symbol.asyncIterator]();
    await pages.next();
    const toEnd = async () => {
      while ((await pages.next()).done !== true);
    };
    expect(await ended(agent, toEnd())).toMatchObject({ code });
  });

  it("an event stream over gRPC ends with the refusal", async () => {
    const agent = await agentWithPlan();
    const client = new BareClient(shop.port);
    const metadata = { authorization: `Bearer ${agent.api_key}` };
    const stream = client.stream("StreamPlanEvents", { plan_id: agent.plan_id }, { metadata });
    await new Promise((resolve) => stream.once("data", resolve));
    stream.resume();
    const failed = new Promise((resolve) => stream.once("error", resolve));
    expect(await ended(agent, failed)).toMatchObject({
      code: code === "UNAUTHENTICATED" ? 16 : 7,
    });
    client.close();
  });

  it("waiting for events over MCP ends with the refusal", async () => {
    const agent = await agentWithPlan();
    const url = new URL(`${shop.baseUrl}/mcp${EVERYTHING}`);
    const headers = { authorization: `Bearer ${agent.api_key}` };
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const { last_sequence } = await lastSequence(client, agent.plan_id);
    const args = { plan_id: agent.plan_id, after_sequence: last_sequence, wait_seconds: 50 };
    let answer: Promise<unknown> = Promise.resolve();
    const waits = new Promise<void>((resolve) => {
      const asked = { name: "wait_for_events", arguments: args };
      answer = client.callTool(asked, { onprogress: () => resolve() });
    });
    await Promise.race([waits, answer]);
    expect(await ended(agent, answer)).toMatchObject({
      isError: true,
      structuredContent: { error: { code } },
    });
    await client.close();
  });
});

async function lastSequence(client: Client, plan_id: string) {
  const { structuredContent } = await client.callTool({
    name: "wait_for_events",
    arguments: { plan_id },
  });
  // The schema of the tool has been checked.
  return structuredContent as { readonly last_sequence: number };
}

it.each([
  ["its API key is revoked", "UNAUTHENTICATED", revoke],
  ["policies forbid to write the branch", "POLICY_DENIED", forbid(NO_BRANCH)],
] as const)("an import makes no commit when %s during its upload", async (_when, code, end) => {
  const agent = await agentWithPlan();
  const { state } = shop.client({ apiKey: agent.api_key });
  let upload: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (opened) => void (upload = opened) });
  const send = (quad: string): void => upload?.enqueue(new TextEncoder().encode(quad));
  const answer = fetch(`${shop.baseUrl}/api/state/documents?branch=agents&message=m`, {
    ...{ method: "POST", body, duplex: "half" },
    headers: { authorization: `Bearer ${agent.api_key}`, "content-type": "application/n-quads" },
  });
  send('<urn:a> <urn:b> "1" .\n');
  const undo = await end(agent);
  const asked = { branch: "agents", from: "main", message: "m", preview: true };
  await expect
    .poll(() => state.mergeState(asked).catch((error: unknown) => error))
    .toMatchObject({ code });
  send('<urn:a> <urn:b> "2" .\n');
  upload?.close();
  expect(await (await answer).json()).toMatchObject({ code });
  await undo();
  const refs = await admin.state.listStateRefs();
  expect(refs.map(({ name }) => name)).not.toContain("heads/agents");
});

it("a migration is rolled back when its API key is revoked while it waits for a lock", async () => {
  await using database = await freshDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query("CREATE TABLE customers (id int PRIMARY KEY, name text)");
  await using server = await ShopServer.open({
    organization: ORG,
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
    dataSources: [{ name: "crm", url: database.url }],
  });
  const root = server.client({ orgId: ORG, role: "admin", userId: "root" });
  await root.migrations.acceptSchemaDrift({ database: "crm", message: "as it is" });
  const sql = "CREATE TABLE customers (id int PRIMARY KEY, name text, more text)";
  const proposed = await root.migrations.proposeMigration({
    database: "crm",
    sql,
    message: "more",
  });
  if (!("migration_id" in proposed)) throw new Error("nothing was proposed");
  const { migration_id, digest } = proposed;
  const { api_key: apiKey, key_id } = await root.keys.createApiKey({ name: "k", roles: ["admin"] });
  const { migrations, keys } = server.client({ apiKey });
  await owner.query("BEGIN; LOCK TABLE customers IN ACCESS SHARE MODE");
  const applied = migrations.applyMigration({ migration_id, digest }).catch((e: unknown) => e);
  const waiting = "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted";
  await expect.poll(async () => (await owner.query<{ n: number }>(waiting)).rows[0]?.n).toBe(1);
  await root.keys.revokeApiKey({ key_id });
  const refused = () => keys.listApiKeys({}).catch((e: unknown) => e);
  await expect.poll(refused).toMatchObject({ code: "UNAUTHENTICATED" });
  await owner.query("COMMIT");
  expect(await applied).toMatchObject({ code: "UNAUTHENTICATED" });
  const { fields } = await owner.query("SELECT * FROM customers");
  expect(fields.map(({ name }) => name)).toEqual(["id", "name"]);
  await owner.end();
});
