import { expect, it } from "vitest";
import { anonymousCaller, recordedCaller } from "@steward/kernel/caller.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { PlanBattery } from "./plan-store-battery.js";
import { step, toolCall } from "./sample-plans.js";

/** What every engine must do for the records of tool calls. */
export function toolCallCases(battery: PlanBattery): void {
  const { store, restart, submit, claim, finish } = battery;

  it("keeps who had a tool call run, and what it touched", async () => {
    const ref = await submit([step("a")]);
    const attempt = await claim(ref, "a");
    const kinds: readonly Partial<ToolCallRecord>[] = [
      { caller: recordedCaller(anonymousCaller()), touched: undefined },
      { caller: undefined, touched: { tables: [], functions: [] } },
      {
        caller: {
          ...{ kind: "agent", authenticatedBy: "jwt", userId: "ann", agentId: "a1" },
          ...{ roles: ["agent", "contractor"], permissions: [] },
        },
        dataSource: "shop",
        touched: {
          tables: [
            { name: "orders", accesses: { read: ["id", "total"] } },
            { name: "items", accesses: { read: ["id"], update: ["total"], delete: [] } },
            { name: "unknown", accesses: {} },
            { name: "__proto__", accesses: { read: [] } },
          ],
          functions: ["public.total_of"],
        },
        boundSources: [
          { dataSource: "crm", intent: "read_select", touched: undefined },
          { dataSource: "crm", intent: "admin", kinds: ["read_select"], touched: undefined },
          {
            ...{
              dataSource: "shop",
              intent: "write_update",
              kinds: ["write_update", "read_select"],
            },
            touched: { tables: [{ name: "a", accesses: { update: ["b"] } }], functions: [] },
          },
        ],
      },
      {
        caller: {
          ...{ kind: "apiKey", authenticatedBy: "apikey", keyId: "k1" },
          ...{ roles: [], permissions: ["manage:schema"] },
        },
      },
    ];
    const error = { code: "STEP_FAILED", message: "database is locked" } as const;
    const made: ToolCallRecord[] = [];
    let current = attempt;
    for (const kind of kinds) {
      const record = { ...toolCall(current), ...kind };
      made.push(record);
      const outcome = { kind: "retried", error, durationMs: 1 } as const;
      await store().plans.finishStep(current, outcome, record);
      current = await claim(ref, "a");
    }
    await restart();
    expect((await store().memory.toolCalls.take(10)).calls).toEqual(made);
  });

  it("logs a tool call with the end of its attempt, in order, and keeps each consumer's place", async () => {
    const ref = await submit([step("a"), step("b")]);
    const attempts = [await claim(ref, "a"), await claim(ref, "b")];
    for (const attempt of attempts) await finish(attempt);
    const { calls } = await store().memory.toolCalls.take(10);
    expect(calls).toEqual(attempts.map(toolCall));
    await store().memory.toolCalls.done(await store().memory.toolCalls.take(1));
    await restart();
    expect((await store().memory.toolCalls.take(10)).calls.map(({ stepId }) => stepId)).toEqual([
      "b",
    ]);
  });

  it("tells of tool calls when they are recorded, and of those without a usage row once more", async () => {
    const ref = await submit([step("a"), step("b")]);
    await finish(await claim(ref, "a"));
    await store().usage.recording.recordPending(10);
    const told: string[] = [];
    const unsubscribe = store().toolCalls.onRecorded((calls) => {
      told.push(...calls.map(({ stepId }) => stepId));
    });
    await finish(await claim(ref, "b"));
    expect(told).toEqual(["b"]);
    unsubscribe();
    await restart();
    store().toolCalls.onRecorded((calls) => {
      told.push(...calls.map(({ stepId }) => stepId));
    });
    await store().toolCalls.replay();
    expect(new Set(told.slice(1))).toEqual(new Set(["b"]));
  });
}
