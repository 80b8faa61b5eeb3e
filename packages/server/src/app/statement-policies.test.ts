import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { openApp, type App } from "./app.js";
import { silentLog } from "@steward/kernel/log.js";

/** A server with a data source, used over REST by callers with several roles. */
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const directory = mkdtempSync(join(tmpdir(), "steward-statements-"));

let app: App;
beforeAll(async () => {
  const file = join(directory, "shop.db");
  createSampleDatabase(file);
  app = await openApp({
    port: 0,
    log: silentLog,
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${file}` }],
    dataDir: directory,
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const as = (role: string) =>
  createClient({ baseUrl: `http://127.0.0.1:${String(app.address.port)}`, orgId: ORG, role });

const submit = (role: string, query_template: string, intent = "") =>
  as(role).plans.submit({ name: "p", steps: [{ id: "a", query_template, intent }] });

describe("a step with the intent admin", () => {
  const denied = { code: "POLICY_DENIED", status: 403 };

  it.each(["admin", ""])("is refused at submit to who may not, declared as %j", async (intent) => {
    await expect(submit("agent", "CREATE TABLE t (a)", intent)).rejects.toMatchObject({
      ...denied,
      message: expect.stringContaining(
        "steps[0]: admin on shop needs the role operator, admin or schema, or the permission manage:schema",
      ) as string,
    });
  });

  it("is refused to who may not when it runs, and can still be run by who may", async () => {
    const { plan_id } = await submit("schema", "CREATE TABLE approved (a)");
    await expect(as("agent").plans.execute(plan_id, "a")).rejects.toMatchObject(denied);
    expect((await as("agent").plans.getPlan({ plan_id })).steps[0]).toMatchObject({
      status: "pending",
    });
    const { step_result } = await as("schema").plans.execute(plan_id, "a");
    expect(step_result.status).toBe("completed");
  });
});
