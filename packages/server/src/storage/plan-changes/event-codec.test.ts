import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NewPlanEvent, type PlanEvent, type PlanEventType } from "../../plans/index.js";
import { eventsJson, planEventsOf } from "./event-codec.js";

const PLAN = "33333333-3333-7333-8333-333333333333";
const TYPES: readonly PlanEventType[] = ["PlanStepStarted", "PlanStepExecuted", "PlanFailed"];
/** Members of events that are stored as values only, and other members. */
const MEMBERS = ["step_id", "step_index", "status", "attempt", "row_count", "duration_ms", "error"];

describe("the events of a change", () => {
  it("come back byte for byte, whatever members they have in whatever order", () => {
    const payload = fc
      .tuple(fc.shuffledSubarray(MEMBERS), fc.array(fc.jsonValue(), { minLength: 7, maxLength: 7 }))
      .map(([members, values]) =>
        Object.fromEntries(members.map((member, index) => [member, values[index]])),
      );
    const event = fc.record({
      type: fc.constantFrom(...TYPES),
      payload: fc.oneof(payload, fc.constantFrom(STARTED, EXECUTED)),
      atMs: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(event), (drawn) => {
        const events = drawn.map((each, index) =>
          planEvent(index + 5, each.type, each.payload, each.atMs),
        );
        expect(planEventsOf(PLAN, 5, eventsJson(events))).toEqual(events.map(readEvent));
      }),
    );
  });

  it("of a step that was run are kept as values, in places that never change", () => {
    const events = [
      planEvent(1, "PlanStepStarted", STARTED, 1000),
      planEvent(2, "PlanStepExecuted", EXECUTED, 1007),
    ];
    expect(eventsJson(events)).toBe('[[0,"s",4,1,1000],[1,"s",4,"completed",1,2,6.5,1007]]');
  });

  it("are read as they were kept before, with their names", () => {
    const json = `[["PlanStepStarted",${JSON.stringify(STARTED)},1000]]`;
    expect(planEventsOf(PLAN, 1, json)).toEqual([
      readEvent(planEvent(1, "PlanStepStarted", STARTED, 1000)),
    ]);
  });
});

const STARTED = { step_id: "s", step_index: 4, attempt: 1 };
const EXECUTED = {
  step_id: "s",
  step_index: 4,
  status: "completed",
  attempt: 1,
  row_count: 2,
  duration_ms: 6.5,
};

function planEvent(
  sequence: number,
  eventType: PlanEventType,
  payload: object,
  atMs: number,
): NewPlanEvent {
  return new NewPlanEvent({ planId: PLAN, sequence }, eventType, payload, atMs);
}

/** The event as a reader of the log gets it. */
function readEvent({ planId, sequence, eventType, payloadJson, timestamp }: PlanEvent): PlanEvent {
  return { planId, sequence, eventType, payloadJson, timestamp };
}
