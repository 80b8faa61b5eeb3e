import { describe, expect, it } from "vitest";
import { payloadOf, withEvent, type Attempt } from "./attempts.js";

const event = (event_type: string, second: number, payload: object) => ({
  plan_id: "p",
  event_type,
  sequence: second,
  timestamp: `2026-03-01T09:30:${String(second).padStart(2, "0")}.000Z`,
  payload_json: JSON.stringify(payload),
});
const attemptsOf = (...events: ReturnType<typeof event>[]) =>
  events.reduce<readonly Attempt[]>((all, each) => withEvent(all, each, payloadOf(each)), []);
const at = (second: number) => Date.parse("2026-03-01T09:30:00.000Z") + second * 1000;

describe("the attempts of a step", () => {
  it("begin and end with its events, each by its number", () => {
    expect(
      attemptsOf(
        event("PlanStepStarted", 1, { step_id: "a", attempt: 1 }),
        event("PlanStepExecuted", 2, {
          step_id: "a",
          attempt: 1,
          status: "failed",
          error: { message: "no" },
        }),
        event("PlanStepStarted", 4, { step_id: "a", attempt: 2 }),
      ),
    ).toEqual([
      { number: 1, startedMs: at(1), endedMs: at(2), status: "failed", error: "no" },
      { number: 2, startedMs: at(4) },
    ]);
  });

  it("have a beginning even if only their end is known", () => {
    expect(
      attemptsOf(
        event("PlanStepExecuted", 3, { attempt: 1, status: "completed", duration_ms: 500 }),
      ),
    ).toEqual([{ number: 1, startedMs: at(2.5), endedMs: at(3), status: "completed" }]);
  });

  it("are not changed by events that somebody adds later", () => {
    expect(attemptsOf(event("SomethingNew", 1, { attempt: 1 }))).toEqual([]);
  });
});
