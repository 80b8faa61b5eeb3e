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
    await client({ role: "admin", userId: "root" }).policies.put({ text: POLICY, version: 0 });
    await own("DELETE FROM item; DELETE FROM other; INSERT INTO item VALUES (1, 'a'), (2, 'b')");
  });

  /** Has a write wait. */
  const waiting = async (query_template: string, intent: "write_delete" | "write_update") => {
    const step = { id: "s", tool_name: source, intent, query_template };
    const { plan_id: planId } = await agent.plans.submit({ name: "p", steps: [step] });
    const execute = () => agent.plans.execute(planId, "s");
    await expect(execute()).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    const [approval] = (await agent.approvals.list({ plan_id: planId })).approvals;
    if (approval === undefined) throw new Error("no approval was requested");
    return { approval, execute };
  };

  it("covers at most the rows that were shown, unless the approver widens it", async () => {
    const sql = "DELETE FROM item WHERE name = 'a'";
    const first = await waiting(sql, "write_delete");
    const { approval_id: id, digest } = first.approval;
    expect((await bob.approvals.get(id)).preview).toMatchObject({ rows_changed: 1 });
    await own("UPDATE item SET name = 'a'");
    const approved = await bob.approvals.approve(id, { digest });
    expect(approved.decisions).toMatchObject([{ rows_changed_max: 1 }]);
    expect(await first.execute()).toMatchObject({
      step_result: {
        ...{ status: "failed", error: { message: expect.stringContaining("at most 1") as string } },
      },
    });
    const second = await waiting(sql, "write_delete");
    const wide = { digest: second.approval.digest, rows_changed_max: 2 };
    await bob.approvals.approve(second.approval.approval_id, wide);
    expect(await second.execute()).toMatchObject({ step_result: { status: "completed" } });
  });

  it("is void when a view that it goes through is defined anew", async () => {
    const { approval, execute } = await waiting(
      "DELETE FROM item WHERE id IN (SELECT id FROM cheap)",
      "write_delete",
    );
    await bob.approvals.approve(approval.approval_id, {
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
    await bob.approvals.approve(id, { digest, standing_seconds: 600 });
    await waiting(shape("other"), "write_delete");
  });

  it("says that random values may choose other rows", async () => {
    const random = source === "sqlite" ? "random() > 0" : "random() > 0.5";
    const { approval } = await waiting(`DELETE FROM item WHERE ${random}`, "write_delete");
    const { preview } = await bob.approvals.get(approval.approval_id);
    expect(preview?.notes?.join(" ")).toContain("the result of random differs from run to run");
  });
});

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
