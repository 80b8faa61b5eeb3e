import { assert } from "@steward/kernel/assert.js";
import { isoTime } from "@steward/kernel/clock.js";
import type { PlanEvent, PlanEventType } from "../../plans/index.js";

/** Events of one type whose payloads have these members, in this order. */
interface Shape {
  readonly eventType: PlanEventType;
  readonly members: readonly string[];
}

/**
 * What every step that runs leaves: written so often that only the values are kept. Rows name a shape
 * by its place here, so that places never change.
 */
const SHAPES: readonly Shape[] = [
  { eventType: "PlanStepStarted", members: ["step_id", "step_index", "attempt"] },
  {
    eventType: "PlanStepExecuted",
    members: ["step_id", "step_index", "status", "attempt", "row_count", "duration_ms"],
  },
];

/** An event as it is kept: `[type, payload, ms]`, or `[shape, ...values, ms]`. */
type EventTuple =
  | readonly [eventType: PlanEventType, payload: unknown, atMs: number]
  | readonly [shape: number, ...valuesAndTime: (string | number | null)[]];

/** The column `plan_changes.events`: a list of event tuples. */
export function eventsJson(events: readonly PlanEvent[]): string {
  return `[${events.map(eventJson).join(",")}]`;
}

/** The events of a change. @param sequence of the first. */
export function planEventsOf(planId: string, sequence: number, json: string): readonly PlanEvent[] {
  return (JSON.parse(json) as readonly EventTuple[]).map((tuple, index) => ({
    planId,
    sequence: sequence + index,
    ...typeAndPayloadOf(tuple),
    timestamp: isoTime(Number(tuple.at(-1))),
  }));
}

function eventJson({ eventType, payloadJson, timestamp }: PlanEvent): string {
  const atMs = Date.parse(timestamp);
  const place = SHAPES.findIndex((shape) => shape.eventType === eventType);
  const shape = SHAPES[place];
  if (shape !== undefined) {
    const payload = JSON.parse(payloadJson) as Record<string, unknown>;
    const values = shape.members.map((member) => payload[member]);
    // One with another member, such as an error, is kept as it is.
    const isWhole = values.every((value) => value !== undefined);
    if (isWhole && payloadOf(shape, values) === payloadJson) {
      return JSON.stringify([place, ...values, atMs]);
    }
  }
  return `["${eventType}",${payloadJson},${String(atMs)}]`;
}

function typeAndPayloadOf(tuple: EventTuple): Pick<PlanEvent, "eventType" | "payloadJson"> {
  const [kind, ...rest] = tuple;
  if (typeof kind === "string") return { eventType: kind, payloadJson: JSON.stringify(rest[0]) };
  const shape = SHAPES[kind];
  assert(shape !== undefined, "rows name shapes that there are");
  return { eventType: shape.eventType, payloadJson: payloadOf(shape, rest.slice(0, -1)) };
}

/** The payload as it was made: JSON text of its members in their order. */
function payloadOf({ members }: Shape, values: readonly unknown[]): string {
  return JSON.stringify(
    Object.fromEntries(members.map((member, index) => [member, values[index]])),
  );
}
