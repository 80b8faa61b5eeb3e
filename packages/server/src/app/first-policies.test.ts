import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { openApp, type App } from "./app.js";

/** A server as `steward serve` starts it, in an organization that has put no policies yet. */
const directory = mkdtempSync(join(tmpdir(), "steward-first-policies-"));
let app: App;
beforeAll(async () => {
  createSampleDatabase(join(directory, "shop.db"));
  app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory, agentsOnlyRead: true },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

it("an agent's credential only reads until its organization has policies, and is told how to go on", async () => {
  const orgId = crypto.randomUUID();
  const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
  const as = (who: object) => createClient({ baseUrl, orgId, maxRetries: 0, ...who });
  const submit = (who: object, query_template: string) =>
    as(who).plans.submit({ name: "p", steps: [{ id: "a", query_template }] });
  const agents = [
    { role: "agent", userId: "ada" },
    { role: "agent", agentId: "bot" },
    { role: "admin", agentId: "bot" },
  ];
  for (const who of agents) {
    const { plan_id } = await submit(who, "SELECT 1 AS one");
    const { step_result } = await as(who).plans.execute(plan_id, "a");
    expect(step_result.status).toBe("completed");
    for (const write of ["DELETE FROM orders WHERE id = -1", "UPDATE orders SET id = id"]) {
      await expect(submit(who, write)).rejects.toMatchObject({
        code: "POLICY_DENIED",
        message: expect.stringContaining("steward policy init") as string,
      });
    }
  }
  // On plain loopback whoever names no role tries Steward out, and persons are no agents.
  await submit({}, "DELETE FROM orders WHERE id = -1");
  await submit({ agentId: "bot" }, "DELETE FROM orders WHERE id = -1");
  const admin = { role: "admin", userId: "root" };
  await submit(admin, "DELETE FROM orders WHERE id = -1");
  expect(await app.agentRights()).toMatchObject({ permit: ["read_select"], approval: [] });
  // Whoever has put policies, even none, has decided.
  await as(admin).policies.putPolicies({ version: 0, text: "" });
  for (const who of agents) await submit(who, "DELETE FROM orders WHERE id = -1");
});
