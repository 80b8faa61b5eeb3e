import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { openApp } from "./app.js";
import { silentLog } from "@steward/kernel/log.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
/** Runs longer than the test. */
const ENDLESS = `WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000000000)
  SELECT max(n) AS n FROM c`;

it("a caller who leaves while their step runs has it counted until it ends", async () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-share-"));
  const file = join(directory, "shop.db");
  createSampleDatabase(file);
  const app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${file}` }],
    quotas: { requestsPerSecond: 1000, stepsMax: 1, streamsMax: 1 },
  });
  try {
    const url = `http://127.0.0.1:${String(app.address.port)}`;
    const { plans } = createClient({ baseUrl: url, orgId: ORG, role: "agent" });
    const submitted = async (query_template: string): Promise<string> =>
      (await plans.submit({ name: "p", steps: [{ id: "a", query_template }] })).plan_id;
    const [endless, quick] = [await submitted(ENDLESS), await submitted("SELECT 1 AS n")];
    const leaving = new AbortController();
    const headers = { "x-org-id": ORG, "x-user-role": "agent" };
    // The client must not retry by itself when it is told to wait.
    const execute = (planId: string, signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}/api/plans/${planId}/steps/a/execute`, {
        ...{ method: "POST", headers, ...(signal && { signal }) },
      });
    const left = execute(endless, leaving.signal);
    await expect
      .poll(async () => (await plans.getPlan({ plan_id: endless })).status)
      .toBe("running");
    leaving.abort();
    await expect(left).rejects.toThrow();
    // Long enough for the server to notice that the caller has disconnected.
    for (let asked = 0; asked < 20; asked += 1) expect((await execute(quick)).status).toBe(429);
    await plans.cancelPlan({ plan_id: endless });
    await expect.poll(async () => (await execute(quick)).status).toBe(200);
  } finally {
    await app[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  }
});
