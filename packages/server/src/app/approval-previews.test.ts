import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient, type Approval, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";

/** Persons read approvals of writes on a data source of each engine, over REST. */
const directory = mkdtempSync(join(tmpdir(), "steward-approval-previews-"));

const ITEMS = `
CREATE TABLE item (id integer PRIMARY KEY, name text UNIQUE, price integer, note text);
INSERT INTO item VALUES (1, 'cup', 5, 'secret'), (2, 'jar', 7, NULL), (3, 'pot', 9, 'x');
CREATE TABLE label (id integer PRIMARY KEY, name text, note text,
  loud text GENERATED ALWAYS AS (upper(note)) STORED);
INSERT INTO label (id, name, note) VALUES (1, 'cup', 'secret');
`;

let app: App;
let database: TestDatabase;
let owner: Client;
let file: InstanceType<typeof DatabaseSync>;
beforeAll(async () => {
  database = await freshDatabase();
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(ITEMS);
  file = new DatabaseSync(join(directory, "items.db"));
  file.exec(ITEMS);
  const url = `sqlite:${join(directory, "items.db")}`;
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [
      { name: "sqlite", url },
      { name: "postgres", url: database.url },
      { name: "off", url, previews: false },
    ],
    tools: {
      strict: true,
      tools: ["sqlite", "postgres", "off"].map((name) => ({ name, dataSource: name })),
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

const APPROVALS = `@id("admins") @approval("admin")
  forbid (principal, action in Steward::Action::"writes", resource)
  unless { context.approved };
  @id("approvers") @approval("approver")
  forbid (principal, action in Steward::Action::"writes", resource)
  unless { context.approved };`;
const HIDDEN = ["sqlite", "postgres", "off"].map(
  (source) => `@id("no-notes-${source}")
  forbid (principal in Steward::Role::"admin", action == Steward::Action::"read_select",
    resource == Steward::Column::"${source}/item/note");`,
);

class Tenant {
  readonly orgId = crypto.randomUUID();

  static async with(text: string): Promise<Tenant> {
    const tenant = new Tenant();
    await tenant.person("admin", "root").policies.putPolicies({ text, version: 0 });
    return tenant;
  }

  person(role: string, userId: string): StewardClient {
    return this.#as({ role, userId });
  }

  #as(who: { readonly role: string; readonly userId: string; readonly agentId?: string }) {
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    return createClient({ baseUrl, orgId: this.orgId, maxRetries: 0, ...who });
  }

  get agent(): StewardClient {
    return this.#as({ role: "agent", userId: "alice", agentId: "bot" });
  }

  /** Has a write wait, with a value of an earlier step where it names one. @returns its approval. */
  async waiting(tool_name: string, query_template: string): Promise<Approval> {
    const first = { id: "s0", tool_name, query_template: "SELECT 2 AS id" };
    const write = { id: "s1", tool_name, query_template, depends_on: ["s0"] };
    const { plans } = this.agent;
    const { plan_id: planId } = await plans.submit({ name: "p", steps: [first, write] });
    await plans.execute(planId, "s0");
    await expect(plans.execute(planId, "s1")).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    const [approval] = (await this.agent.approvals.listApprovals({ plan_id: planId })).approvals;
    if (approval === undefined) throw new Error("no approval was requested");
    // A listing runs nothing.
    expect(approval.preview).toBeUndefined();
    return approval;
  }

  async seenBy(person: StewardClient, tool: string, sql: string) {
    const { approval_id: id } = await this.waiting(tool, sql);
    return (await person.approvals.getApproval({ approval_id: id })).preview;
  }
}

async function rowsOf(source: string): Promise<unknown> {
  const sql = "SELECT * FROM item ORDER BY id";
  return source === "postgres" ? (await owner.query(sql)).rows : file.prepare(sql).all();
}

describe.each(["sqlite", "postgres"])("the preview of a waiting write on %s", (source) => {
  const text = (reason: string) => expect.stringContaining(reason) as string;

  it("shows rows before and after to those who can decide, and changes nothing", async () => {
    const before = await rowsOf(source);
    const tenant = await Tenant.with(APPROVALS);
    const update = "UPDATE item SET price = price + 1 WHERE id = {{step.s0.output[0].id}}";
    const approval = await tenant.waiting(source, update);
    const bob = tenant.person("admin", "bob").approvals;
    const { preview } = await bob.getApproval({ approval_id: approval.approval_id });
    expect(preview).toMatchObject({
      ...{ rows_changed: 1, is_cut: false, notes: [] },
      changes: [
        {
          table: text("item"),
          before: { id: 2, name: "jar", price: 7, note: null },
          after: { id: 2, name: "jar", price: 8, note: null },
        },
      ],
    });
    const estimated = source === "postgres" ? (expect.any(Number) as number) : undefined;
    expect(preview?.estimated_rows).toEqual(estimated);
    expect(await rowsOf(source)).toEqual(before);
    await bob.denyApproval({
      approval_id: approval.approval_id,
      digest: approval.digest,
      reason: "no",
    });
    expect((await bob.getApproval({ approval_id: approval.approval_id })).preview).toEqual({
      unavailable: text("denied"),
    });
  });

  it("leaves out columns that the reader may not read", async () => {
    const tenant = await Tenant.with(`${APPROVALS} ${HIDDEN.join("\n")}`);
    const bob = tenant.person("admin", "bob");
    const update = "UPDATE item SET price = 6, note = 'also secret' WHERE id = 1";
    const preview = await tenant.seenBy(bob, source, update);
    expect(preview?.changes).toEqual([
      {
        table: text("item"),
        before: { id: 1, name: "cup", price: 5 },
        after: { id: 1, name: "cup", price: 6 },
      },
    ]);
    expect(JSON.stringify(preview)).not.toContain("secret");
    // The number of rows would tell what the column contains.
    const guess = "UPDATE item SET price = 6 WHERE note = 'secret'";
    expect(await tenant.seenBy(bob, source, guess)).toEqual({ unavailable: text("read_select") });
    // The role approver alone suffices to see what is approved, and to run nothing.
    const approver = tenant.person("approver", "carol");
    expect(await tenant.seenBy(approver, source, update)).toMatchObject({ rows_changed: 1 });
    const steps = [{ id: "a", tool_name: source, query_template: "SELECT * FROM item" }];
    await expect(approver.plans.submit({ name: "p", steps })).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
  });

  it("leaves out columns that are computed from those that the reader may not read", async () => {
    const hidden = `@id("no-label-notes")
      forbid (principal in Steward::Role::"admin", action == Steward::Action::"read_select",
        resource == Steward::Column::"${source}/label/note");`;
    const tenant = await Tenant.with(`${APPROVALS} ${hidden}`);
    const update = "UPDATE label SET name = 'pot' WHERE id = 1";
    const preview = await tenant.seenBy(tenant.person("admin", "bob"), source, update);
    expect(preview?.changes).toEqual([
      {
        table: text("label"),
        before: { id: 1, name: "cup" },
        after: { id: 1, name: "pot" },
      },
    ]);
    const whole = await tenant.seenBy(tenant.person("approver", "carol"), source, update);
    expect(whole?.changes).toMatchObject([{ after: { note: "secret", loud: "SECRET" } }]);
  });

  it("says that the statement would fail when it changes more rows than policies allow", async () => {
    const tenant = await Tenant.with(`${APPROVALS} @id("few") @rows_changed_max("2")
      forbid (principal in Steward::Role::"agent", action in Steward::Action::"writes", resource)
      when { context.rowsChangedMax > 2 };`);
    const carol = tenant.person("approver", "carol");
    const all = "UPDATE item SET price = 6";
    expect(await tenant.seenBy(carol, source, all)).toMatchObject({
      rows_changed: 3,
      notes: [text("would fail: it changes 3 rows now, and may change 2 at most")],
    });
    const one = await tenant.waiting(source, "UPDATE item SET price = 6 WHERE id = 1");
    const { subject, preview } = await carol.approvals.getApproval({
      approval_id: one.approval_id,
    });
    expect(subject).toMatchObject({ rows_changed_max: 2 });
    expect(preview?.notes ?? []).toEqual([]);
  });

  it("is not for agents, requesters and strangers", async () => {
    const tenant = await Tenant.with(APPROVALS);
    const { approval_id: id } = await tenant.waiting(source, "DELETE FROM item WHERE id = 1");
    const strangers = [
      [tenant.agent, "agent's credential"],
      [tenant.person("admin", "alice"), "their own request"],
      [tenant.person("auditor", "bob"), "the role a"],
    ] as const;
    for (const [stranger, reason] of strangers) {
      const { preview } = await stranger.approvals.getApproval({ approval_id: id });
      expect(preview).toEqual({ unavailable: text(reason) });
    }
  });

  it("has the reason when the statement would fail, or is for another definition", async () => {
    const before = await rowsOf(source);
    const tenant = await Tenant.with(APPROVALS);
    const bob = tenant.person("admin", "bob");
    const failing = "INSERT INTO item (id, name) VALUES (9, 'cup')";
    expect(await tenant.seenBy(bob, source, failing)).toMatchObject({
      unavailable: text(source === "postgres" ? "item_name_key" : "item.name"),
    });
    expect(await rowsOf(source)).toEqual(before);
    const old = await tenant.waiting(source, "DELETE FROM item WHERE id = 1");
    await tenant.agent.plans.reviseStep({
      plan_id: old.plan_id,
      step_id: "s1",
      query_template: "DELETE FROM item WHERE id = 2",
    });
    const { preview } = await bob.approvals.getApproval({ approval_id: old.approval_id });
    expect(preview).toEqual({ unavailable: text("The approval is void") });
  });

  it("waits a short time for locks, and only a few wait at once", async () => {
    const tenant = await Tenant.with(APPROVALS);
    const { approval_id: id } = await tenant.waiting(source, "DELETE FROM item WHERE id = 1");
    const bob = tenant.person("admin", "bob").approvals;
    const run = (sql: string) => (source === "postgres" ? owner.query(sql) : file.exec(sql));
    await run(source === "postgres" ? "BEGIN; LOCK TABLE item" : "BEGIN IMMEDIATE");
    const views = await Promise.all(
      Array.from({ length: 8 }, () => bob.getApproval({ approval_id: id })),
    );
    await run("ROLLBACK");
    const reasons = views.map(({ preview }) => preview?.unavailable);
    expect(reasons).toContainEqual(text("other previews"));
    expect(reasons.filter((reason) => reason?.includes("other previews") !== true).length).toBe(2);
    expect(reasons).not.toContain(undefined);
    expect((await bob.getApproval({ approval_id: id })).preview).toMatchObject({ rows_changed: 1 });
  });
});

it("is switched off for a data source, whose writes are approved with a number of rows", async () => {
  const tenant = await Tenant.with(APPROVALS);
  const bob = tenant.person("admin", "bob");
  expect(await tenant.seenBy(bob, "off", "DELETE FROM item WHERE id = 1")).toEqual({
    unavailable: expect.stringContaining("switched off") as string,
  });
  expect(await tenant.seenBy(bob, "off", "DELETE FROM item WHERE random() > 0")).toEqual({
    unavailable: expect.stringContaining("switched off") as string,
    notes: [expect.stringContaining("the result of random may differ from run to run") as string],
  });
  const approval = await tenant.waiting("off", "DELETE FROM item WHERE id = 1");
  const { approval_id: id, digest } = approval;
  await expect(bob.approvals.grantApproval({ approval_id: id, digest })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/rows_changed_max: .*switched off.*how many rows/) as string,
  });
  const chosen = { digest, rows_changed_max: 3 };
  const decision = { decision: "approve", rows_changed_max: 3 };
  expect(await bob.approvals.grantApproval({ approval_id: id, ...chosen })).toMatchObject({
    decisions: [decision],
  });
  // The decision keeps its number when it is repeated.
  expect(await bob.approvals.grantApproval({ approval_id: id, ...chosen })).toMatchObject({
    decisions: [decision],
  });
  const denied = await tenant.waiting("off", "DELETE FROM item WHERE id = 2");
  expect(
    await bob.approvals.denyApproval({ approval_id: denied.approval_id, digest: denied.digest }),
  ).toMatchObject({
    status: "denied",
  });
});

it("is not there for a write that sets a sequence, whose approver names the rows", async () => {
  await owner.query("CREATE SEQUENCE IF NOT EXISTS line_ids");
  const tenant = await Tenant.with(APPROVALS);
  const bob = tenant.person("admin", "bob").approvals;
  const sql = "UPDATE item SET price = setval('line_ids', 2147483647) WHERE id = 2";
  const { approval_id: id, digest } = await tenant.waiting("postgres", sql);
  const { preview } = await bob.getApproval({ approval_id: id });
  expect(preview?.unavailable).toContain("setval");
  await expect(bob.grantApproval({ approval_id: id, digest })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/rows_changed_max: .*setval.*how many rows/) as string,
  });
  const { rows } = await owner.query("SELECT last_value::text FROM line_ids");
  expect(rows).toEqual([{ last_value: "1" }]);
  expect(await bob.grantApproval({ approval_id: id, digest, rows_changed_max: 1 })).toMatchObject({
    decisions: [{ rows_changed_max: 1 }],
  });
});

it("leaves out what a partition computes, or a view returns, from a column that the reader may not read", async () => {
  await owner.query(`
    CREATE TABLE day (at integer, name text, note text,
      loud text GENERATED ALWAYS AS (upper(name)) STORED) PARTITION BY LIST (at);
    CREATE TABLE day_1 (at integer, name text, note text,
      loud text GENERATED ALWAYS AS (upper(note)) STORED);
    ALTER TABLE day ATTACH PARTITION day_1 FOR VALUES IN (1);
    INSERT INTO day VALUES (1, 'cup', 'secret');
    CREATE VIEW shown AS SELECT id, name, note AS remark FROM label`);
  const tenant = await Tenant.with(
    ["day", "label"].reduce(
      (text, table) => `${text} @id("no-${table}-notes")
        forbid (principal in Steward::Role::"admin", action == Steward::Action::"read_select",
          resource == Steward::Column::"postgres/${table}/note");`,
      APPROVALS,
    ),
  );
  const bob = tenant.person("admin", "bob");
  const ofPartition = await tenant.seenBy(bob, "postgres", "UPDATE day SET name = 'pot'");
  expect(ofPartition?.changes).toMatchObject([{ after: { at: 1, name: "pot" } }]);
  expect(JSON.stringify(ofPartition).toLowerCase()).not.toContain("secret");
  const ofView = await tenant.seenBy(bob, "postgres", "UPDATE shown SET name = 'pot'");
  expect(ofView).toEqual({ unavailable: expect.stringContaining("read_select") as string });
});
