import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";

/** An agent writes to a table of which it may not read some columns, on which constraints stand. */
const directory = mkdtempSync(join(tmpdir(), "steward-masked-"));
const file = join(directory, "crm.db");
const HIDDEN = ["email", "iban"];

let app: App;
beforeAll(async () => {
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT UNIQUE,
      email TEXT NOT NULL DEFAULT 'nobody@example.com' UNIQUE, iban TEXT NOT NULL CHECK (iban <> ''));
    INSERT INTO customer VALUES (1, 'Ada', 'nobody@example.com', 'DE1')`);
  db.close();
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "crm", url: `sqlite:${file}` }],
  });
  const policies = HIDDEN.map(
    (column) => `@id("no-${column}") forbid (principal in Steward::Role::"agent",
      action == Steward::Action::"read_select", resource == Steward::Column::"crm/customer/${column}");`,
  );
  await as("admin").policies.putPolicies({ text: policies.join("\n"), version: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const as = (role: string) =>
  createClient({
    baseUrl: `http://127.0.0.1:${String(app.address.port)}`,
    headers: { "x-user-role": role },
  });

async function failure(role: string, sql: string): Promise<string> {
  const { plans } = as(role);
  const { plan_id: planId } = await plans.submit({ steps: [{ id: "a", query_template: sql }] });
  const answer = await plans.execute(planId, "a");
  const base = `http://127.0.0.1:${String(app.address.port)}`;
  const headers = { "x-user-role": role };
  const events = await fetch(`${base}/api/plans/${planId}/events`, { headers });
  return JSON.stringify([answer, await plans.getPlan({ plan_id: planId }), await events.text()]);
}

describe("an error of the database", () => {
  it("names no column that the caller may not read", async () => {
    const unique = await failure(
      "agent",
      "INSERT INTO customer (id, name, iban) VALUES (2, 'Bo', 'DE2')",
    );
    expect(unique).toContain(
      "UNIQUE constraint failed on customer: it is about a column that you may not read",
    );
    expect(unique).not.toContain("email");
    const missing = await failure("agent", "INSERT INTO customer (id, name) VALUES (3, 'Cy')");
    expect(missing).toContain("NOT NULL constraint failed on customer");
    expect(missing).not.toContain("iban");
  });

  it("names columns that the caller may read, and all of them to others", async () => {
    const insert = "INSERT INTO customer (id, name, iban) VALUES (2, 'Ada', 'DE2')";
    expect(await failure("agent", insert)).toContain("constraint failed");
    const own = "INSERT INTO customer (id) VALUES (1)";
    expect(await failure("admin", own)).toContain("NOT NULL constraint failed: customer.iban");
    const key = "INSERT INTO customer (id, name, email, iban) VALUES (5, 'Ada', 'x', 'y')";
    expect(await failure("admin", key)).toContain("UNIQUE constraint failed: customer.name");
  });
});
