import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";

/** What an approval covers when the data or the definitions change before the statement runs. */
const directory = mkdtempSync(join(tmpdir(), "steward-approved-rows-"));
const SCHEMA = `CREATE TABLE item (id integer, name text); CREATE TABLE other (id integer, name text);
  CREATE VIEW cheap AS SELECT id FROM item WHERE id = 1;`;
const POLICY = `@id("persons") @approval("approver") @approval_standing("1h")
  forbid (principal, action in Steward::Action::"writes", resource) unless { context.approved };`;

let app: App;
let database: TestDatabase;
let owner: Client;
let file: InstanceType<typeof DatabaseSync>;
beforeAll(async () => {
  database = await freshDatabase();
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(SCHEMA);
  file = new DatabaseSync(join(directory, "items.db"));
  file.exec(SCHEMA);
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [
      { name: "sqlite", url: `sqlite:${join(directory, "items.db")}` },
      { name: "postgres", url: database.url },
    ],
    tools: {
      strict: true,
      tools: ["sqlite", "postgres"].map((name) => ({ name, dataSource: name })),
    },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await owner.end();
  await database[Symbol.asyncDispose]();
  file.close();
  rmSync(directory, { recursive: true });
});

describe.each(["sqlite", "postgres"])("an approval of a write on %s", (source) => {
  let orgId: string;
  let bob: StewardClient;
  let agent: StewardClient;

  const own = async (sql: string): Promise<void> => {
    if (source === "postgres") await owner.query(sql);
    else file.exec(sql);
  };
  const client = (who: {
    readonly role: string;
    readonly userId: string;
    readonly agentId?: string;
  }) =>
    createClient({
      ...{ baseUrl: `http://127.0.0.1:${String(app.address.port)}`, orgId, maxRetries: 0, ...who },
    });

  beforeEach(async () => {
    orgId = crypto.randomUUID();
    bob = client({ role: "approver", userId: "bob" });
    agent = client({ role: "agent", userId: "alice", agentId: "bot" });
    await client({ role: "admin", userId: "root" }).policies.putPolicies({
      text: POLICY,
      version: 0,
    });
    await own("DELETE FROM item; DELETE FROM other; INSERT INTO item VALUES (1, 'a'), (2, 'b')");
  });

  /** Has a write wait. */
  const waiting = async (query_template: string, intent: "write_delete" | "write_update") => {
    const step = { id: "s", tool_name: source, intent, query_template };
    const { plan_id: planId } = await agent.plans.submit({ name: "p", steps: [step] });
    const execute = () => agent.plans.execute(planId, "s");
    await expect(execute()).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    const [approval] = (await agent.approvals.listApprovals({ plan_id: planId })).approvals;
    if (approval === undefined) throw new Error("no approval was requested");
    return { approval, execute };
  };

  it("covers at most the rows that were shown, unless the approver widens it", async () => {
    const sql = "DELETE FROM item WHERE name = 'a'";
    const first = await waiting(sql, "write_delete");
    const { approval_id: id, digest } = first.approval;
    expect((await bob.approvals.getApproval({ approval_id: id })).preview).toMatchObject({
      rows_changed: 1,
    });
    await own("UPDATE item SET name = 'a'");
    const approved = await bob.approvals.grantApproval({ approval_id: id, digest });
    expect(approved.decisions).toMatchObject([{ rows_changed_max: 1 }]);
    expect(await first.execute()).toMatchObject({
      step_result: {
        ...{ status: "failed", error: { message: expect.stringContaining("at most 1") as string } },
      },
    });
    const second = await waiting(sql, "write_delete");
    const wide = { digest: second.approval.digest, rows_changed_max: 2 };
    await bob.approvals.grantApproval({ approval_id: second.approval.approval_id, ...wide });
    expect(await second.execute()).toMatchObject({ step_result: { status: "completed" } });
  });

  it("is void when a view that it goes through is defined anew", async () => {
    const { approval, execute } = await waiting(
      "DELETE FROM item WHERE id IN (SELECT id FROM cheap)",
      "write_delete",
    );
    await bob.approvals.grantApproval({
      approval_id: approval.approval_id,
      ...{ digest: approval.digest, rows_changed_max: 100 },
    });
    await own("DROP VIEW cheap; CREATE VIEW cheap AS SELECT id FROM item");
    await expect(execute()).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    await own("DROP VIEW cheap; CREATE VIEW cheap AS SELECT id FROM item WHERE id = 1");
  });

  it("that stands covers no other table, also where its name is written as a text", async () => {
    const quote = source === "sqlite" ? "'" : '"';
    const shape = (table: string) => `DELETE FROM ${quote}${table}${quote} WHERE id = 1`;
    const { approval } = await waiting(shape("item"), "write_delete");
    const { approval_id: id, digest } = approval;
    await bob.approvals.grantApproval({ approval_id: id, digest, standing_seconds: 600 });
    await waiting(shape("other"), "write_delete");
  });

  it("says that random values may choose other rows", async () => {
    const random = source === "sqlite" ? "random() > 0" : "random() > 0.5";
    const { approval } = await waiting(`DELETE FROM item WHERE ${random}`, "write_delete");
    const { preview } = await bob.approvals.getApproval({ approval_id: approval.approval_id });
    expect(preview?.notes?.join(" ")).toContain("the result of random may differ from run to run");
  });

  it.runIf(source === "postgres")(
    "says that a bound text may mean the time of the run",
    async () => {
      const read = { id: "r", tool_name: source, query_template: "SELECT 'Now' AS t" };
      const write = {
        ...{ id: "s", tool_name: source, intent: "write_delete" as const, depends_on: ["r"] },
        query_template:
          "DELETE FROM item WHERE current_date < CAST({{step.r.output[0].t}} AS date)",
      };
      const { plan_id: planId } = await agent.plans.submit({ name: "p", steps: [read, write] });
      await agent.plans.execute(planId, "r");
      await expect(agent.plans.execute(planId, "s")).rejects.toThrow();
      const [approval] = (await agent.approvals.listApprovals({ plan_id: planId })).approvals;
      const { preview } = await bob.approvals.getApproval({
        approval_id: approval?.approval_id ?? "",
      });
      expect(preview?.notes?.join(" ")).toContain("'now'");
    },
  );
});

const DERIVED = `
  CREATE FUNCTION shout(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN upper(t); END';
  CREATE FUNCTION loud(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN shout(t); END';
  CREATE FUNCTION is_loud(a text, b text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
    'BEGIN RETURN loud(a) = b; END';
  CREATE FUNCTION tagged(t text) RETURNS text LANGUAGE sql IMMUTABLE RETURN t || '!';
  CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = is_loud);
  CREATE DOMAIN word AS text CHECK (loud(VALUE) <> '');
  CREATE DOMAIN short_word AS word;
  CREATE TYPE pair AS (a word, b integer);
  CREATE TABLE generated (id integer, n text, w text GENERATED ALWAYS AS (loud(n)) STORED);
  CREATE TABLE checked (id integer, n text CHECK (loud(n) <> ''));
  CREATE TABLE compared (id integer, n text CHECK (n === 'X'));
  CREATE TABLE indexed (id integer, n text);
  CREATE INDEX ON indexed (loud(n)) WHERE id > 0;
  CREATE TABLE parted (id integer, n text) PARTITION BY LIST (loud(n));
  CREATE TABLE parted_all PARTITION OF parted DEFAULT;
  CREATE TABLE worded (id integer, n short_word);
  CREATE TABLE listed (id integer, n word[]);
  CREATE TABLE paired (id integer, n pair);
  CREATE TABLE plain (id integer, n text)`;

describe("an approval of a write on PostgreSQL", () => {
  const inserts = [
    "INSERT INTO generated VALUES (1, 'x')",
    "INSERT INTO checked VALUES (1, 'x')",
    "INSERT INTO compared VALUES (1, 'x')",
    "INSERT INTO indexed VALUES (1, 'x')",
    "INSERT INTO parted VALUES (1, 'x')",
    "INSERT INTO worded VALUES (1, 'x')",
    "INSERT INTO listed VALUES (1, '{x}')",
    "INSERT INTO paired VALUES (1, '(x,1)')",
    "INSERT INTO plain VALUES (1, CAST('x' AS short_word))",
  ];

  beforeAll(() => owner.query(DERIVED));

  it("is void when a function that its rows go through is defined anew, directly or not", async () => {
    const tenant = await PostgresTenant.open();
    for (const change of [
      "CREATE OR REPLACE FUNCTION shout(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN upper(t) || 1; END'",
      "CREATE OR REPLACE FUNCTION shout(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN upper(t); END'",
    ]) {
      const approved = [];
      for (const sql of inserts) approved.push({ sql, execute: await tenant.approved(sql) });
      await owner.query(change);
      for (const { sql, execute } of approved) {
        await expect(execute(), sql).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
      }
    }
    const unchanged = await tenant.approved("INSERT INTO plain VALUES (1, 'x')");
    expect(await unchanged()).toMatchObject({ step_result: { status: "completed" } });
  });

  it.each([
    ["INSERT INTO worded VALUES (1, 'x')", "ALTER DOMAIN short_word ADD CHECK (VALUE <> 'y')"],
    ["INSERT INTO indexed VALUES (1, 'x')", "CREATE INDEX ON indexed (tagged(n))"],
    [
      "INSERT INTO plain VALUES (2, 'x') ON CONFLICT DO NOTHING",
      "CREATE UNIQUE INDEX ON plain (id)",
    ],
  ])("is void after a new definition: %s, %s", async (sql, change) => {
    const tenant = await PostgresTenant.open();
    const execute = await tenant.approved(sql);
    await owner.query(change);
    await expect(execute()).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
  });

  it("that stands covers no other member of a JSON value", async () => {
    await owner.query(`CREATE TABLE doc (id integer, data jsonb, tags text[], n integer)`);
    const tenant = await PostgresTenant.open();
    for (const [approved, other] of [
      ["data = data - 'color'", "data = data - 'owner'"],
      ["data = data - ('col' || 'or')", "data = data - ('own' || 'er')"],
      ["data = data - '{color}'::text[]", "data = data - '{owner}'::text[]"],
      ["data = data - ARRAY['color']", "data = data - ARRAY['owner']"],
      ["data = data - 0", "data = data - 1"],
      [`data = data || '{"color": 1}'`, `data = data || '{"owner": 1}'`],
      [
        "data = data - k FROM (VALUES ('color')) AS v (k)",
        "data = data - k FROM (VALUES ('owner')) AS v (k)",
      ],
    ] as const) {
      await tenant.stands(`UPDATE doc SET ${approved}`);
      await tenant.waits(`UPDATE doc SET ${other}`);
    }
    await tenant.stands("UPDATE doc SET n = n - 1, tags = tags || 'x'::text");
    const later = "UPDATE doc SET n = n - 2, tags = tags || 'y'::text";
    expect(await (await tenant.submitted(later))()).toMatchObject({
      step_result: { status: "completed" },
    });
  });
});

/** An organization whose writes on PostgreSQL wait for bob. */
class PostgresTenant {
  readonly #agent: StewardClient;
  readonly #bob: StewardClient;

  private constructor(orgId: string) {
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const whole = { baseUrl, orgId, maxRetries: 0 };
    this.#agent = createClient({ ...whole, role: "agent", userId: "alice", agentId: "bot" });
    this.#bob = createClient({ ...whole, role: "approver", userId: "bob" });
  }

  static async open(): Promise<PostgresTenant> {
    const orgId = crypto.randomUUID();
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const root = createClient({ baseUrl, orgId, role: "admin", userId: "root" });
    await root.policies.putPolicies({ text: POLICY, version: 0 });
    return new PostgresTenant(orgId);
  }

  /** @returns a function that executes the statement. */
  async submitted(query_template: string) {
    const step = { id: "s", tool_name: "postgres", query_template };
    const { plan_id: planId } = await this.#agent.plans.submit({ name: "p", steps: [step] });
    return Object.assign(() => this.#agent.plans.execute(planId, "s"), { planId });
  }

  async waits(sql: string) {
    const execute = await this.submitted(sql);
    await expect(execute(), sql).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    return execute;
  }

  /** The same, after an approval. */
  async approved(sql: string, standing?: { readonly standing_seconds: number }) {
    const execute = await this.waits(sql);
    const [approval] = (await this.#agent.approvals.listApprovals({ plan_id: execute.planId }))
      .approvals;
    if (approval === undefined) throw new Error("no approval was requested");
    const decision = { digest: approval.digest, rows_changed_max: 10, ...standing };
    await this.#bob.approvals.grantApproval({ approval_id: approval.approval_id, ...decision });
    return execute;
  }

  async stands(sql: string): Promise<void> {
    await (
      await this.approved(sql, { standing_seconds: 600 })
    )();
  }
}

it.each([
  "DELETE FROM item WHERE (SELECT count(*) FROM temp.sqlite_master) = 0",
  "DELETE FROM item WHERE (SELECT count(*) FROM sqlite_temp_schema) = 0",
  "DELETE FROM item WHERE changes() > 0",
])("%s cannot tell a preview from a run", async (query_template) => {
  const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
  const { plans } = createClient({ baseUrl, orgId: crypto.randomUUID(), maxRetries: 0 });
  const step = { id: "s", tool_name: "sqlite", intent: "write_delete" as const, query_template };
  const { plan_id: planId } = await plans.submit({ name: "p", steps: [step] });
  await expect(plans.execute(planId, "s")).rejects.toThrow(
    /belongs to the service|not allowed in a write/,
  );
});
