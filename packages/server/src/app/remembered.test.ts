import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { HashProvider } from "../embedding/index.js";
import { silentLog } from "@steward/kernel/log.js";

/**
 * The test checks over REST which tool calls of several roles reach the memory and the embedding
 * provider.
 */
const directory = mkdtempSync(join(tmpdir(), "steward-remembered-"));

/** It counts as remote, because it is unknown where a program's own provider sends texts. */
class ToldProvider extends HashProvider {
  readonly texts: string[] = [];

  override embed(text: string): Promise<Float32Array> {
    this.texts.push(text);
    return super.embed(text);
  }
}

const provider = new ToldProvider(16);
let app: App;
beforeAll(async () => {
  const file = join(directory, "shop.db");
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER);
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT);
    CREATE VIEW people AS SELECT name, email FROM customers;
    INSERT INTO orders VALUES (1, 10);
    INSERT INTO customers VALUES (1, 'Ada', 'ada@example.org');`);
  db.close();
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory, embeddingProvider: provider },
    embedding: { dimension: 16 },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${file}` }],
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const baseUrl = () => `http://127.0.0.1:${String(app.address.port)}`;

/** An organization with policies, and its callers by role. */
async function organization(orgId: string, policies: string) {
  const as = (role: string) => createClient({ baseUrl: baseUrl(), orgId, role });
  await as("admin").policies.putPolicies({ version: 0, text: policies });
  const run = async (role: string, query: string): Promise<string> => {
    const client = as(role);
    const steps = [{ id: "a", query_template: query, intent: "" }];
    const { plan_id } = await client.plans.submit({ name: "p", steps });
    const { step_result } = await client.plans.execute(plan_id, "a");
    return step_result.status;
  };
  /** The queries with a memory entry, once no call waits any more. */
  const remembered = async (): Promise<readonly string[]> => {
    const { memory } = as("agent");
    await expect.poll(async () => (await memory.getMemoryStats()).waiting_calls).toBe(0);
    const { entries } = await memory.listMemoryEntries();
    return entries.map(({ content }) => (JSON.parse(content) as { query: string }).query);
  };
  return { as, run, remembered };
}

describe("a tool call", () => {
  it("that touched a table or column which policies keep out of the memory makes no entry, whoever had it run", async () => {
    const { as, run, remembered } = await organization(
      "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b12",
      `@id("emails") forbid (principal, action == Steward::Action::"memory:record",
         resource == Steward::Column::"shop/customers/email");`,
    );
    expect(await run("admin", "SELECT email AS a1 FROM customers")).toBe("completed");
    // The same holds for a view.
    expect(await run("admin", "SELECT * FROM people AS a2")).toBe("completed");
    expect(await run("agent", "SELECT name AS a3 FROM customers")).toBe("completed");
    expect(await run("agent", "SELECT total FROM orders AS a4")).toBe("completed");
    expect([...(await remembered())].sort()).toEqual([
      "SELECT name AS a3 FROM customers",
      "SELECT total FROM orders AS a4",
    ]);
    expect(provider.texts.filter((text) => /AS a1|AS a2|ada@example/.test(text))).toEqual([]);
    // Usage of the call is recorded in any case.
    const usage = async () => {
      const days = await as("admin").billing.getUsage();
      return days.reduce((sum, { action_count: count }) => sum + count, 0);
    };
    await expect.poll(usage).toBe(4);
  });

  it("of a role whose work stays out of the memory makes no entry, and that of others does", async () => {
    const { run, remembered } = await organization(
      "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b13",
      `@id("admins") forbid (principal in Steward::Role::"admin",
         action == Steward::Action::"memory:record", resource);`,
    );
    expect(await run("admin", "SELECT total AS b1 FROM orders")).toBe("completed");
    expect(await run("agent", "SELECT total AS b2 FROM orders")).toBe("completed");
    expect(await remembered()).toEqual(["SELECT total AS b2 FROM orders"]);
  });

  it("is not sent to an embedding provider elsewhere where policies forbid it, and neither are entries and searches", async () => {
    const { as, run } = await organization(
      "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b14",
      `@id("stays-here") @reason("Texts stay on this machine")
       forbid (principal, action, resource) when { context has providerIsRemote && context.providerIsRemote };`,
    );
    expect(await run("admin", "SELECT total AS zebra FROM orders")).toBe("completed");
    const { memory } = as("agent");
    const denied = { code: "POLICY_DENIED", message: "Texts stay on this machine" };
    await expect(memory.searchMemory({ query: "zebra" })).rejects.toMatchObject(denied);
    await expect(
      memory.addMemoryEntry({ session_id: "s", content: '"zebra"' }),
    ).rejects.toMatchObject(denied);
    await expect(memory.listMemoryEntries()).rejects.toMatchObject(denied);
    await expect.poll(() => waitingCalls()).toBe(0);
    expect(provider.texts.filter((text) => text.includes("zebra"))).toEqual([]);
  });
});

describe("a caller with memory:read and without read_select", () => {
  it("finds notes only, however entries are asked for", async () => {
    const { as, run, remembered } = await organization("7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b15", "");
    expect(await run("admin", "SELECT total AS d1 FROM orders")).toBe("completed");
    expect(await run("admin", "SELECT totl AS d2 FROM orders")).toBe("failed");
    expect(await run("admin", "UPDATE orders SET total = total RETURNING total AS d3")).toBe(
      "completed",
    );
    await as("admin").memory.addMemoryEntry({ session_id: "s", content: '{"note":"on orders"}' });
    expect(await remembered()).toHaveLength(4);
    const { memory } = as("auditor");
    const notes = ['{"note":"on orders"}'];
    expect((await memory.listMemoryEntries()).entries.map(({ content }) => content)).toEqual(notes);
    const found = await memory.searchMemory({ query: "SELECT total FROM orders", top_k: 100 });
    expect(found.map(({ content }) => content)).toEqual(notes);
    for (const { entry_id, content } of (await as("admin").memory.listMemoryEntries()).entries) {
      if (notes.includes(content)) continue;
      await expect(memory.getMemoryEntry({ entry_id })).rejects.toMatchObject({
        code: "POLICY_DENIED",
      });
    }
  });
});

async function waitingCalls(): Promise<number> {
  const metrics = await (await fetch(`${baseUrl()}/metrics`)).text();
  return Number(/^steward_memory_waiting_calls (\d+)$/m.exec(metrics)?.[1]);
}
