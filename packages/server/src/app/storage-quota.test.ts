import { createClient, type StewardClient } from "@steward/client";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type App, openApp } from "./app.js";

/** A server whose organizations may store 45 kB, of which one memory entry takes 35 kB. */
const BYTES_MAX = 45_000;
const STEP = { id: "a", query_template: "SELECT 1 AS one" };

let directory: string;
let app: App;
let client: StewardClient;
let nowMs: number;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "steward-quota-"));
  writeFileSync(join(directory, "empty.db"), "");
  nowMs = Date.now();
  app = await start();
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

async function start(): Promise<App> {
  const started = await openApp({
    ...{ port: 0, dataDir: directory, logLevel: "silent", orgBytesMax: BYTES_MAX },
    clock: { nowMs: () => nowMs },
    embedding: { provider: "hash", dimension: 8 },
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataSources: [{ name: "empty", url: `sqlite:${join(directory, "empty.db")}` }],
  });
  const baseUrl = `http://127.0.0.1:${String(started.address.port)}`;
  client = createClient({ baseUrl, role: "admin", maxRetries: 0 });
  return started;
}

it("refuses what would store more, and nothing else, until something is deleted", async () => {
  const { plans, memory, state, billing } = client;
  // What is stored while a measurement runs may count twice until the next one.
  await billing.getStorageUsage();
  const waiting: string[] = [];
  for (let n = 0; n < 5; n += 1) waiting.push((await plans.submit({ steps: [STEP] })).plan_id);
  const [first = "", second = "", , , last = ""] = waiting;
  const content = JSON.stringify("x".repeat(35_000));
  const { entry_id: entryId } = await memory.addMemoryEntry({ content, session_id: "s" });
  await billing.getStorageUsage();
  for (const planId of [first, second]) await plans.execute(planId, "a");
  const steps = [{ ...STEP, id: "b" }];
  for (const ask of [
    () => plans.submit({ steps }),
    () => memory.addMemoryEntry({ content: '"y"', session_id: "s" }),
    () => plans.execute(last, "a"),
    () => plans.appendSteps({ plan_id: last, steps }),
    () => plans.forkPlan({ plan_id: first, steps }),
    () =>
      state.importState({ format: "n-quads", content: "<urn:a> <urn:b> <urn:c> .", message: "m" }),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  }
  // Reads, checks and repeated answers need no space.
  expect(await plans.execute(first, "a")).toMatchObject({ replayed: true });
  expect((await plans.checkPlan({ steps })).verdict).toBe("permit");
  expect(await memory.searchMemory({ query: "x", top_k: 1 })).toHaveLength(1);
  expect((await plans.getStep({ plan_id: last, step_id: "a" })).step.status).toBe("pending");
  expect((await billing.getStorageUsage()).stored_bytes).toBeGreaterThan(BYTES_MAX);

  await memory.deleteMemoryEntry({ entry_id: entryId });
  nowMs += 60_000;
  const executed = () => plans.execute(last, "a").catch(() => undefined);
  await expect.poll(executed).toMatchObject({ step_result: { status: "completed" } });
});

it("measures again after a restart before it refuses anything", async () => {
  await client.memory.addMemoryEntry({
    content: JSON.stringify("x".repeat(39_900)),
    session_id: "s",
  });
  await app[Symbol.asyncDispose]();
  app = await start();
  await client.plans.submit({ steps: [STEP] });
  await expect
    .poll(() => client.plans.submit({ steps: [STEP] }).catch((error: unknown) => error))
    .toMatchObject({ code: "QUOTA_EXCEEDED" });
});
