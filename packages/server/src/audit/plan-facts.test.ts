import { expect, it } from "vitest";
import { toolCallRecord } from "../kernel/testing/tool-call-record.js";
import { planFactsOf } from "./plan-facts.js";

it.each([
  ["UPDATE orders SET note = 'explain'", { row_count: 7 }],
  ["EXPLAIN UPDATE orders SET note = ''", { explains: true }],
  ["-- why\n /* so slow */ explain query plan DELETE FROM orders", { explains: true }],
])("the record of an EXPLAIN does not count the lines of its plan as rows: %s", (query, told) => {
  const [fact] = planFactsOf({
    ...{ orgId: "org", planId: "plan", sessionId: "", definition: undefined },
    events: [{ sequence: 4, eventType: "PlanStepExecuted", atMs: 0, payload: { step_id: "s" } }],
    origins: [{ count: 1, origin: undefined }],
    call: toolCallRecord({ query, rowCount: 7 }),
  });
  const { row_count, explains } = Object(fact?.detail["call"]) as Record<string, unknown>;
  expect({ row_count, explains }).toEqual({ row_count: undefined, explains: undefined, ...told });
});

it.each(["PlanStepExecuted", "PlanStepCancelled", "PlanStepLeaseExpired"])(
  "the record of an attempt that ends with %s has its tool call, and no other record of the change has",
  (eventType) => {
    const event = (sequence: number, type: string) => ({
      ...{ sequence, eventType: type, atMs: 1_767_603_600_000 },
      payload: { step_id: "s", attempt: 1 },
    });
    const facts = planFactsOf({
      ...{ orgId: "org", planId: "plan", sessionId: "", definition: undefined },
      events: [event(4, "PlanCancelRequested"), event(5, eventType)],
      origins: [
        { count: 1, origin: undefined },
        { count: 1, origin: undefined },
      ],
      call: toolCallRecord({ eventId: "call", status: "cancelled" }),
    });
    expect(facts.map(({ detail }) => detail["call"])).toEqual([
      undefined,
      expect.objectContaining({ event_id: "call", status: "cancelled" }),
    ]);
  },
);
