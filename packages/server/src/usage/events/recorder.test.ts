import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openConnection } from "../../storage/sqlite/connection.js";
import { recordToolCalls } from "../../storage/testing/record-tool-calls.js";
import { ORG, UsageRoom } from "../testing/usage-room.js";
import { rowsBetween } from "../../storage/testing/rows-between.js";

/** On a busy machine the background takes its time. */
const ALL = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };

describe("the usage recorder", () => {
  it("turns each tool call into one row by itself, in the background", async () => {
    await using room = await UsageRoom.open();
    const calls = await recordToolCalls(room.store.plans, [{ orgId: ORG }, { orgId: ORG }]);
    await expect.poll(() => rowIds(room)).toEqual(calls.map((call) => call.eventId).sort());
  });

  it("does not take the event's word: one published twice, or for no call, makes no row", async () => {
    await using room = await UsageRoom.open();
    await recordToolCalls(room.store.plans, [{ orgId: ORG }]);
    for (const event_id of ["twice", "twice"]) {
      room.bus.publish("LlmToolCallAuditRecorded", {
        event_id,
        tool_name: "sql",
        context: { org_id: ORG, session_id: "s", orm_model: undefined, intent: "admin" },
      });
    }
    await room.recorder.flush();
    expect(await rowIds(room)).toHaveLength(1);
  });

  it("does not block whoever publishes", async () => {
    await using room = await UsageRoom.open();
    const recorded: unknown[] = [];
    room.recorder.onRecorded((events) => recorded.push(...events));
    await recordToolCalls(room.store.plans, [{ orgId: ORG }]);
    room.bus.publish("LlmToolCallAuditRecorded", {
      event_id: "e",
      tool_name: "sql",
      context: { org_id: ORG, session_id: "s", orm_model: undefined, intent: "admin" },
    });
    expect(recorded).toEqual([]);
    await expect.poll(() => recorded).toHaveLength(1);
  });

  it("records on closing what still waits", async () => {
    await using first = await UsageRoom.open();
    await recordToolCalls(first.store.plans, [{ orgId: ORG }, { orgId: ORG }]);
    await first.recorder[Symbol.asyncDispose]();
    expect(await rowIds(first)).toHaveLength(2);
  });

  it("keeps asking while the store is locked, then records everything once", async () => {
    await using room = await UsageRoom.open();
    await recordToolCalls(room.store.plans, [{ orgId: ORG }]);
    await room.recorder.flush();
    const calls = await recordToolCalls(room.store.plans, [{ orgId: ORG }, { orgId: ORG }]);
    const intruder = openConnection(room.path, false);
    intruder.exec("BEGIN IMMEDIATE");
    const flushed = room.recorder.flush();
    await sleep(50);
    intruder.exec("COMMIT");
    intruder.close();
    await flushed;
    await expect.poll(() => rowIds(room)).toHaveLength(1 + calls.length);
  });

  it("runs what asks for it alone, in order, with nothing left in the log", async () => {
    await using room = await UsageRoom.open();
    await recordToolCalls(room.store.plans, [{ orgId: ORG }]);
    const order: string[] = [];
    const first = room.recorder.exclusively(async () => {
      order.push(`first sees ${String((await rowIds(room)).length)}`);
      await sleep(20);
      order.push("first ends");
    });
    const second = room.recorder.exclusively(() => {
      order.push("second begins");
      return Promise.resolve();
    });
    await Promise.all([first, second]);
    expect(order).toEqual(["first sees 1", "first ends", "second begins"]);
  });

  it("lets the next have its turn after one has failed", async () => {
    await using room = await UsageRoom.open();
    const failure = room.recorder.exclusively(() => Promise.reject(new Error("no")));
    await expect(failure).rejects.toThrow("no");
    expect(await room.recorder.exclusively(() => Promise.resolve("next"))).toBe("next");
  });
});

async function rowIds(room: UsageRoom): Promise<readonly string[]> {
  const rows = await rowsBetween(room.store.usage, ORG, ALL, 1000);
  return rows.map(({ event }) => event.id).sort();
}
