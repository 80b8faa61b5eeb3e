import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { DECEPTIVE_TEXT, deceptionIn } from "@steward/kernel/testing/deceptive-text.js";
import { expect, it, vi } from "vitest";
import { type NewDelivery, WebhookOutbox, type PlanNews } from "./outbox.js";
import { WebhookNotices } from "./webhook-notices.js";
import { WEBHOOK_EVENTS, type WebhookEvent, type WebhookTarget } from "./webhook-target.js";

it("makes a message for each target that wants the event, and none for other events", () => {
  const outbox = new WebhookOutbox([
    target("all", WEBHOOK_EVENTS),
    target("failures", ["plan.failed"]),
    target("people", ["approval.requested", "approval.decided"]),
  ]);
  const types = [
    ...["PlanCreated", "PlanStarted", "PlanApprovalRequested", "PlanApprovalDecided"],
    ...["PlanStepExecuted", "PlanFailed", "PlanRetried", "PlanCompleted", "PlanCancelled"],
  ];
  const made = outbox.deliveriesOf("org", () => types.map(newsOf));
  expect(made.map((each) => [each.target, each.messageId, typeOf(each.body)])).toEqual([
    ["all", "msg_plan_3", "approval.requested"],
    ["people", "msg_plan_3", "approval.requested"],
    ["all", "msg_plan_4", "approval.decided"],
    ["people", "msg_plan_4", "approval.decided"],
    ["all", "msg_plan_6", "plan.failed"],
    ["failures", "msg_plan_6", "plan.failed"],
    ["all", "msg_plan_8", "plan.completed"],
    ["all", "msg_plan_9", "plan.cancelled"],
  ]);
  expect(JSON.parse(made[0]?.body ?? "")).toEqual({
    type: "approval.requested",
    timestamp: "2026-11-23T16:38:12.345Z",
    data: { org_id: "org", plan_id: "plan", sequence: 3, said: "PlanApprovalRequested" },
  });
});

it("tells of a failed step nothing that its statement has read", () => {
  const outbox = new WebhookOutbox([target("failures", ["plan.failed"])]);
  const failed = (payload: object): unknown => {
    const news = { ...newsOf("PlanFailed", 0), payloadJson: JSON.stringify(payload) };
    const [made] = outbox.deliveriesOf("org", () => [news]);
    return (JSON.parse(made?.body ?? "{}") as { readonly data: { reason: string } }).data.reason;
  };
  const reason = 'invalid input syntax for type integer: "ada@example.com"';
  expect(failed({ failed_step_id: "a", reason })).toBe("Step a failed: its error is in the plan");
  expect(failed({ reason: "The plan passed its deadline" })).toBe("The plan passed its deadline");
});

it("has no body in which a text of others deceives whoever reads it, and the same values", () => {
  const outbox = new WebhookOutbox([target("all", WEBHOOK_EVENTS)]);
  const data = {
    [DECEPTIVE_TEXT]: [{ reason: DECEPTIVE_TEXT }],
    comment: `\u0000${DECEPTIVE_TEXT}`,
  };
  const types = ["PlanCompleted", "PlanFailed", "PlanCancelled", "PlanApprovalRequested"];
  types.push("PlanApprovalDecided", "PlanApprovalExpired", "ApprovalVoid");
  const news = types.map((type, index) => ({
    ...newsOf(type, index),
    payloadJson: JSON.stringify(data),
  }));
  const made: NewDelivery[] = [...outbox.deliveriesOf("org", () => news)];
  const store = {
    add: (deliveries: readonly NewDelivery[]) => Promise.resolve(void made.push(...deliveries)),
  };
  const notices = new WebhookNotices({ outbox, store, clock: systemClock, log: silentLog });
  notices.tell("org", { type: "budget.exceeded", messageId: "m", data });
  expect(made.map(({ body }) => typeOf(body)).toSorted()).toEqual([...WEBHOOK_EVENTS].toSorted());
  for (const { body } of made) {
    expect(deceptionIn(body)).toEqual([]);
    expect(JSON.parse(body)).toMatchObject({ data });
  }
});

it("wakes only those who have something to deliver", () => {
  const outbox = new WebhookOutbox([
    target("all", WEBHOOK_EVENTS),
    target("failures", ["plan.failed"]),
  ]);
  const [all, failures] = [vi.fn(), vi.fn()];
  outbox.onNews("all", all);
  outbox.onNews("failures", failures);
  outbox.announce(outbox.deliveriesOf("org", () => [newsOf("PlanCompleted", 0)]));
  expect([all.mock.calls.length, failures.mock.calls.length]).toEqual([1, 0]);
});

function target(name: string, events: readonly WebhookEvent[]): WebhookTarget {
  return { name, url: "https://h.example/", secrets: [], events };
}

function newsOf(eventType: string, index: number): PlanNews {
  const timestamp = "2026-11-23T16:38:12.345Z";
  const payloadJson = JSON.stringify({ said: eventType });
  return { planId: "plan", sequence: index + 1, eventType, payloadJson, timestamp };
}

function typeOf(body: string): unknown {
  return (JSON.parse(body) as { readonly type: unknown }).type;
}
