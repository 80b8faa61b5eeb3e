import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { embeddedEntry } from "../../memory/embedded-entry.js";
import { type LoggedLine, recordingLog } from "../../transport/testing/recording-log.js";
import { StorageQuota } from "../../usage/index.js";
import { MEASURED_ROWS_MAX, ROW_BYTES } from "../../usage/limits.js";
import type { StorageMeter } from "../../usage/ports.js";
import type { StorageQuotaParts } from "../../usage/storage/storage-quota.js";
import type { StorageReport } from "../../usage/storage/stored-bytes.js";
import type { Store } from "../store.js";
import { recordToolCalls } from "./record-tool-calls.js";
import { externalSample } from "./usage-samples.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const START_MS = Date.parse("2026-01-05T12:00:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;
const VECTOR_BYTES = 2 * Float32Array.BYTES_PER_ELEMENT;

/** The required behaviour of every engine for what organizations store, and for their quotas. */
export function storageQuotaBattery(engine: string, open: () => Promise<Store>): void {
  describe(`stored bytes on ${engine}`, () => {
    let store: Store;
    let nowMs: number;
    let lines: LoggedLine[];
    beforeEach(async () => {
      store = await open();
      await store.memory.useModel({ name: "two", dimension: 2 });
      nowMs = START_MS;
      lines = [];
    });
    afterEach(() => store[Symbol.asyncDispose]());

    const quotaOf = (bytesMax?: number, over: Partial<StorageQuotaParts> = {}): StorageQuota =>
      new StorageQuota({
        ...{ meter: store.meter, clock: { nowMs: () => nowMs }, telemetry: silentTelemetry },
        log: recordingLog(lines),
        ...(bytesMax === undefined ? {} : { bytesMax }),
        ...over,
      });
    const remember = (orgId: string, contents: readonly string[]): Promise<void> =>
      store.memory.addEntries(
        contents.map((content, index) =>
          embeddedEntry(
            { orgId, content, entryId: randomUUID(), sessionId: "s", createdAtMs: index },
            new Float32Array([1, index]),
          ),
        ),
      );
    const measured = (quota: StorageQuota, orgId = ORG): Promise<StorageReport> =>
      quota.report(orgId, AbortSignal.timeout(20_000));

    it("are those of the organization's rows, each counted once, whatever the number of pages", async () => {
      const count = MEASURED_ROWS_MAX + 7;
      const contents = Array.from({ length: count }, (_each, index) => `{"n":${String(index)}}`);
      await remember(ORG, contents);
      await remember(OTHER_ORG, ["{}"]);
      await using quota = quotaOf();
      const { measured: found, quotaBytes } = await measured(quota);
      const bytes = contents.join("").length + count * (ROW_BYTES + VECTOR_BYTES + ROW_BYTES);
      expect(found?.bytes).toEqual({ plans: 0, memory: bytes, usage: 0, state: 0, audit: 0 });
      expect(quotaBytes).toBeUndefined();
    });

    it("are told by kind of data", async () => {
      await recordToolCalls(store.plans, [{ orgId: ORG }]);
      await store.usage.recording.recordPending(10);
      await store.usage.recording.recordExternal(ORG, () => [
        externalSample({ orgId: ORG, occurredAtMs: START_MS }),
      ]);
      await using quota = quotaOf();
      const { measured: found } = await measured(quota);
      expect(found).toMatchObject({ atMs: START_MS, bytes: { memory: 0, state: 0 } });
      expect(found?.bytes.plans).toBeGreaterThan(300);
      expect(found?.bytes.usage).toBeGreaterThan(2 * ROW_BYTES);
    });

    it("are refused beyond the quota once they are measured, and admitted again after a deletion", async () => {
      await remember(ORG, ["x".repeat(10_000)]);
      await using quota = quotaOf(8192);
      // A restart refuses nobody: what is stored is not known yet.
      quota.admit(ORG, "memory", 1);
      await measured(quota);
      const refused = { code: "QUOTA_EXCEEDED", retryAfterMs: undefined };
      expect(thrown(() => quota.admit(ORG, "memory", 0))).toMatchObject(refused);
      expect(String(thrown(() => quota.admit(ORG, "memory", 5000)))).toMatch(
        /stores 9\.9\d KiB of the 8\.00 KiB .*about 4\.88 KiB more.*steward usage storage.*SERVICE_ORG_BYTES_MAX/s,
      );
      quota.admit(OTHER_ORG, "memory", 8192);
      expect(await store.memory.deleteSession(ORG, "s", 10)).toHaveLength(1);
      expect(thrown(() => quota.admit(ORG, "memory", 0))).toMatchObject(refused);
      nowMs += 60_000;
      expect(thrown(() => quota.admit(ORG, "memory", 0))).toMatchObject(refused);
      const again = () => thrown(() => quota.admit(ORG, "memory", 0));
      await expect.poll(again).toBeUndefined();
    });

    it("that are written between two measurements count, so that two writers cannot pass the border together", async () => {
      await using quota = quotaOf(1000);
      await measured(quota);
      const attempts = [400, 400, 400, 200].map((bytes) =>
        thrown(() => quota.admit(ORG, "memory", bytes)),
      );
      expect(attempts.map((error) => error === undefined)).toEqual([true, true, false, true]);
      quota.add(ORG, "memory", 5000);
      expect(thrown(() => quota.admit(ORG, "memory", 0))).toMatchObject({ code: "QUOTA_EXCEEDED" });
      expect((await measured(quota)).addedBytes).toBe(6000);
      expect(quota.largestShare()).toBe(6);
    });

    it("count once when they are written during a measurement, before it has reached their kind", async () => {
      const wasRead = new Set<string>();
      const meter: StorageMeter = {
        page: async (orgId, from) => {
          if (wasRead.size === 0) {
            await remember(ORG, ["x".repeat(500)]);
            quota.add(ORG, "memory", 500);
            quota.add(ORG, "plans", 30);
            quota.add(ORG, "state", 4000);
          }
          const page = await store.meter.page(orgId, from);
          if (!wasRead.has(page.kind) && page.kind === "memory") quota.add(ORG, "memory", 2);
          wasRead.add(page.kind);
          return page;
        },
      };
      await using quota = quotaOf(100_000, { meter, stateBytes: () => 4000 });
      const { measured: found, addedBytes } = await measured(quota);
      expect(found?.bytes.memory).toBeGreaterThan(500);
      expect(found?.bytes.state).toBe(4000);
      // The others may have been written too late for the pages of their kind.
      expect(addedBytes).toBe(32);
    });

    it("are reported to the operator at four fifths of the quota, once a day", async () => {
      await using quota = quotaOf(1000);
      await measured(quota);
      quota.add(ORG, "memory", 799);
      expect(lines).toEqual([]);
      quota.add(ORG, "memory", 1);
      quota.add(ORG, "memory", 1);
      expect(lines).toMatchObject([
        { level: "warn", fields: { orgId: ORG, storedBytes: 800, quotaBytes: 1000 } },
      ]);
      nowMs += DAY_MS;
      quota.add(ORG, "memory", 1);
      expect(lines).toHaveLength(2);
    });

    it("need no measurement where there is no quota", async () => {
      await using quota = quotaOf();
      quota.admit(ORG, "memory", Number.MAX_SAFE_INTEGER);
      quota.add(ORG, "memory", 1);
      expect([quota.largestShare(), (await measured(quota)).addedBytes]).toEqual([0, 0]);
    });
  });
}

function thrown(ask: () => void): unknown {
  try {
    ask();
    return undefined;
  } catch (error) {
    return error;
  }
}
