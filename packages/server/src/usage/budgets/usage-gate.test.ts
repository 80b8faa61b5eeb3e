import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AnnouncedToolCall } from "../../governance/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { HandClock } from "../../storage/testing/hand-clock.js";
import { recordToolCalls } from "../../storage/testing/record-tool-calls.js";
import { LedgerReservations, UsageGate } from "../index.js";
import type { BudgetReservations } from "../ports.js";
import { admin, operator, ORG, UsageRoom } from "../testing/usage-room.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const CAP = { scope: "organization", unit: "aau", period: "day", limit: "10", action: "block" };

const call = (over: Partial<AnnouncedToolCall> = {}): AnnouncedToolCall => ({
  eventId: randomUUID(),
  orgId: ORG,
  sessionId: "session",
  toolName: "sql",
  intent: "write_insert",
  ormModel: undefined,
  ...over,
});

describe("the usage gate", () => {
  it("admits everything where there is no budget", async () => {
    await using room = await UsageRoom.open();
    expect(await room.gate.admit(call())).toEqual([]);
  });

  it("admits 3 of 20 concurrent calls of 3 AAU on a cap of 10", async () => {
    await using room = await UsageRoom.open();
    await room.service.setBudget(admin(), CAP);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, async () => room.gate.admit(call())),
    );
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(3);
    expect(results.find((result) => result.status === "rejected")).toMatchObject({
      reason: { code: "QUOTA_EXCEEDED", retryAfterMs: expect.any(Number) as unknown },
    });
  });

  it("counts a call once while it passes from reserved to recorded", async () => {
    await using room = await UsageRoom.open();
    await room.service.setBudget(admin(), { ...CAP, limit: "6" });
    const first = call();
    await room.gate.admit(first);
    await recordToolCalls(room.store.plans, [{ ...first, finishedAtMs: systemClock.nowMs() }]);
    await room.recorder.flush();
    await room.gate.admit(call());
    await expect(room.gate.admit(call())).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  it("gives back what a call had reserved that came to nothing", async () => {
    await using room = await UsageRoom.open();
    await room.service.setBudget(admin(), { ...CAP, limit: "3" });
    const first = call();
    await room.gate.admit(first);
    room.gate.release(first);
    expect(await room.gate.admit(call())).toEqual([]);
  });

  it("releases a reservation later that could not be released at once", async () => {
    await using room = await UsageRoom.open();
    await room.service.setBudget(admin(), { ...CAP, limit: "3" });
    const budgets = new LedgerReservations(room.store.usage, room.recorder, systemClock);
    let refusals = 2;
    const reservations: BudgetReservations = {
      reserve: (asked) => budgets.reserve(asked),
      release: (orgId, callId) => {
        refusals -= 1;
        if (refusals >= 0) return Promise.reject(new Error("the database is away"));
        return budgets.release(orgId, callId);
      },
      refresh: (orgId) => {
        budgets.refresh(orgId);
      },
    };
    await using gate = new UsageGate(reservations, room.recorder, silentLog);
    const first = call();
    await gate.admit(first);
    gate.release(first);
    const again = async (): Promise<boolean> => {
      try {
        await gate.admit(call());
        return true;
      } catch {
        return false;
      }
    };
    expect(await again()).toBe(false);
    await expect.poll(again).toBe(true);
  });

  it("knows after a crash what was used, also what was not yet recorded", async () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "store.db");
    {
      await using room = await UsageRoom.open(systemClock, path);
      await room.service.setBudget(admin(), { ...CAP, limit: "5" });
      await recordToolCalls(room.store.plans, [
        { orgId: ORG, intent: "write_insert", finishedAtMs: systemClock.nowMs() },
      ]);
      // When the store is closed early, the call stays in its log without a usage row.
      await room.closeStore();
    }
    await using again = await UsageRoom.open(systemClock, path);
    await expect(again.gate.admit(call())).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(await again.gate.admit(call({ intent: "read_select" }))).toEqual([]);
  });

  it("refuses calls when too many wait to be recorded, before they run", async () => {
    await using room = await UsageRoom.open();
    await room.closeStore();
    for (let i = 0; i < 10_000; i += 1) {
      room.bus.publish("LlmToolCallAuditRecorded", {
        event_id: String(i),
        tool_name: "sql",
        context: { org_id: ORG, session_id: "s", orm_model: undefined, intent: "admin" },
      });
    }
    await room.recorder.flush();
    await expect(room.gate.admit(call())).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("too many tool calls wait") as unknown,
    });
  });

  it("lets calls under way count against a budget that is set meanwhile", async () => {
    await using room = await UsageRoom.open();
    await room.gate.admit(call());
    await room.service.setBudget(admin(), { ...CAP, limit: "5" });
    await expect(room.gate.admit(call())).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  it("begins anew with the next day", async () => {
    const clock = new HandClock();
    await using room = await UsageRoom.open(clock);
    await room.service.setBudget(admin(), { ...CAP, limit: "3" });
    const first = call();
    await room.gate.admit(first);
    await recordToolCalls(room.store.plans, [{ ...first, finishedAtMs: clock.nowMs() }]);
    await room.recorder.flush();
    await expect(room.gate.admit(call())).rejects.toMatchObject({ retryAfterMs: DAY_MS });
    clock.advance(DAY_MS);
    expect(await room.gate.admit(call())).toEqual([]);
  });

  it("caps dollars by the price of the moment", async () => {
    await using room = await UsageRoom.open();
    await room.service.setPrice(operator(), {
      scope: "aau",
      amount_usd: "0.5",
      from: "2020-01-01",
    });
    await room.service.setBudget(admin(), { ...CAP, unit: "usd", limit: "3.2" });
    const results = await Promise.allSettled([1, 2, 3].map(async () => room.gate.admit(call())));
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  });

  it("warns in words for the agent, and keeps organizations apart", async () => {
    await using room = await UsageRoom.open();
    await room.service.setBudget(admin(), { ...CAP, limit: "2", action: "warn" });
    expect(await room.gate.admit(call())).toEqual([
      "This call ran over the organization's budget of 2 AAU per day, which only warns",
    ]);
    const other = call({ orgId: "22222222-2222-4222-8222-222222222222" });
    expect(await room.gate.admit(other)).toEqual([]);
  });
});

function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "steward-usage-gate-"));
  return {
    path,
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true });
    },
  };
}
