import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { openApp } from "./app.js";

it("an erasure deletes the rows that writes returned and left in the data source", async () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-erased-markers-"));
  const path = join(directory, "shop.db");
  createSampleDatabase(path);
  try {
    await using app = await openApp({
      ...{ port: 0, log: silentLog, dataDir: directory },
      databaseUrl: `sqlite:${join(directory, "store.db")}`,
      dataSources: [{ name: "shop", url: `sqlite:${path}` }],
    });
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const orgId = crypto.randomUUID();
    const client = createClient({ baseUrl, orgId, role: "admin", userId: "ada" });
    const { plan_id } = await client.plans.submit({
      name: "p",
      session_id: "visit",
      steps: [
        {
          id: "change",
          query_template: "UPDATE customers SET name = 'canary' WHERE id = 1 RETURNING name",
        },
      ],
    });
    expect((await client.plans.run(plan_id)).status).toBe("completed");
    const markers = () => {
      using db = new DatabaseSync(path, { readOnly: true });
      return JSON.stringify(db.prepare("SELECT * FROM _steward_steps").all());
    };
    expect(markers()).toContain("canary");
    const { erasure_id: id } = await client.retention.beginErasure({
      scope: "session",
      subject: "visit",
    });
    const isFinished = async () =>
      (await client.retention.getErasure({ erasure_id: id })).finished_at !== null;
    await expect.poll(isFinished, { interval: 100 }).toBe(true);
    expect(markers()).toBe("[]");
  } finally {
    rmSync(directory, { recursive: true });
  }
});
