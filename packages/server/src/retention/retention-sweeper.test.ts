import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "@steward/kernel/log.js";
import { embeddedEntry } from "../memory/embedded-entry.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { openSqliteStore } from "../storage/sqlite/store.js";
import { appendAudit } from "../storage/testing/append-audit.js";
import { recordToolCalls } from "../storage/testing/record-tool-calls.js";
import type { RetentionRules } from "./retention-period.js";
import { RetentionSweeper } from "./retention-sweeper.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const START_MS = Date.parse("2026-01-01T00:00:00Z");
const ORG = "00000000-0000-0000-0000-000000000000";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

const root = mkdtempSync(join(tmpdir(), "steward-sweeper-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

describe("a sweep", () => {
  let nowMs: number;
  let files = 0;
  beforeEach(() => {
    nowMs = START_MS;
    files += 1;
  });
  const open = () =>
    openSqliteStore(join(root, `${String(files)}.db`), { nowMs: () => nowMs }, silentTelemetry);
  type TestStore = ReturnType<typeof open>;

  function sweeper(store: TestStore, rules: RetentionRules): RetentionSweeper {
    return new RetentionSweeper({
      ...{ rules, store: store.retention, rows: store.expired, log: silentLog },
      clock: { nowMs: () => nowMs },
      entries: { deleteEntries: async (...of) => (await store.memory.deleteExpired(...of)).length },
      withUsage: (work) => work(),
    });
  }

  async function record(store: TestStore, orgId: string, finishedAtMs: number): Promise<void> {
    await recordToolCalls(store.plans, [{ orgId, finishedAtMs }]);
    await store.usage.recording.recordPending(10);
    const taken = await store.memory.toolCalls.take(10);
    await store.memory.toolCalls.done(taken);
    await appendAudit(store.audit.sequence);
  }

  it("deletes in each organization what is older than it is kept there, and nothing without a period", async () => {
    await using store = open();
    const rules = { periods: { plans: 30 }, mayBeLonger: false };
    await using sweep = sweeper(store, rules);
    for (const orgId of [ORG, OTHER_ORG]) await record(store, orgId, nowMs);
    const own = { orgId: OTHER_ORG, version: 1, changedBy: "", changedAtMs: 1 };
    await store.retention.put({ ...own, periods: { plans: 10, usage_detail: 20 } });
    expect(await sweep.sweep()).toEqual({});
    nowMs = START_MS + 11 * DAY_MS;
    expect(await sweep.sweep()).toEqual({ plans: 1 });
    nowMs = START_MS + 21 * DAY_MS;
    expect(await sweep.sweep()).toEqual({ usage_detail: 1 });
    nowMs = START_MS + 31 * DAY_MS;
    expect(await sweep.sweep()).toEqual({ plans: 1 });
    nowMs = START_MS + 900 * DAY_MS;
    expect(await sweep.sweep()).toEqual({});
  });

  it("purges the full-text index of the words of deleted entries", async () => {
    const file = join(root, `${String(files)}.db`);
    {
      await using store = open();
      await store.memory.useModel({ name: "two", dimension: 2 });
      const entry = (content: string, createdAtMs: number) =>
        embeddedEntry(
          { orgId: ORG, entryId: randomUUID(), sessionId: "s", content, createdAtMs },
          Float32Array.of(1, 1),
        );
      await store.memory.addEntries([entry("canaryqzx", nowMs)]);
      await store.memory.addEntries([entry("remaining", nowMs + 50 * DAY_MS)]);
      nowMs += 31 * DAY_MS;
      await using sweep = sweeper(store, { periods: { memory: 30 }, mayBeLonger: false });
      expect(await sweep.sweep()).toEqual({ memory: 1 });
      await store.erased.overwrite();
    }
    expect(readFileSync(file).includes("canaryqzx")).toBe(false);
    expect(readFileSync(file).includes("remaining")).toBe(true);
  });

  it("keeps data for longer than the operator says only where the operator allows it", async () => {
    await using store = open();
    await record(store, ORG, nowMs);
    const own = { orgId: ORG, version: 1, changedBy: "", changedAtMs: 1 };
    await store.retention.put({ ...own, periods: { plans: 50 } });
    nowMs = START_MS + 40 * DAY_MS;
    await using allowed = sweeper(store, { periods: { plans: 30 }, mayBeLonger: true });
    expect(await allowed.sweep()).toEqual({});
    await using refused = sweeper(store, { periods: { plans: 30 }, mayBeLonger: false });
    expect(await refused.sweep()).toEqual({ plans: 1 });
  });
});
