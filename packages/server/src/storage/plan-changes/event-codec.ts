import { assert } from "@steward/kernel/assert.js";
import { isoTime } from "@steward/kernel/clock.js";
import type { NewPlanEvent, PlanEvent, PlanEventType } from "../../plans/index.js";

/** Events of one type whose payload has these members, in this order. */
interface Shape {
  readonly eventType: PlanEventType;
  readonly members: readonly string[];
}

/**
 * The events of every executed step. They are frequent, so only their values are stored. Rows refer
 * to a shape by its index here, so indexes must never change.
 */
const SHAPES: readonly Shape[] = [
  { eventType: "PlanStepStarted", members: ["step_id", "step_index", "attempt"] },
  {
    eventType: "PlanStepExecuted",
    members: ["step_id", "step_index", "status", "attempt", "row_count", "duration_ms"],
  },
];

const PLACES = new Map(SHAPES.map(({ eventType }, place) => [eventType, place]));

/** The stored form of an event: `[type, payload, ms]`, or `[shape, ...values, ms]`. */
type EventTuple =
  | readonly [eventType: PlanEventType, payload: unknown, atMs: number]
  | readonly [shape: number, ...valuesAndTime: (string | number | null)[]];

/** An event of a change. */
export interface StoredEvent {
  readonly eventType: PlanEventType;
  /** A JSON value. */
  readonly payload: unknown;
  readonly atMs: number;
}

/** The column `plan_changes.events`: a list of event tuples. */
export function eventsJson(events: readonly NewPlanEvent[]): string {
  return `[${events.map(eventJson).join(",")}]`;
}

/** The events of a change. @param sequence of the first event. */
export function planEventsOf(planId: string, sequence: number, json: string): readonly PlanEvent[] {
  return storedEventsOf(json).map(({ eventType, payload, atMs }, index) => ({
    planId,
    sequence: sequence + index,
    eventType,
    payloadJson: JSON.stringify(payload),
    timestamp: isoTime(atMs),
  }));
}

/** The events of a change, as they are stored. */
export function storedEventsOf(json: string): readonly StoredEvent[] {
  return (JSON.parse(json) as readonly EventTuple[]).map((tuple) => ({
    ...typeAndPayloadOf(tuple),
    atMs: Number(tuple.at(-1)),
  }));
}

function eventJson({ eventType, payload, atMs }: NewPlanEvent): string {
  const place = PLACES.get(eventType);
  // An event with an additional member, such as an error, is stored in full.
  const isShaped = place !== undefined && hasMembers(payload, SHAPES[place]?.members ?? []);
  return JSON.stringify(
    isShaped
      ? [place, ...(Object.values(payload) as readonly unknown[]), atMs]
      : [eventType, payload, atMs],
  );
}

/** Whether the payload has these members, in this order, and no others. */
function hasMembers(payload: object, members: readonly string[]): boolean {
  const names = Object.keys(payload);
  return names.length === members.length && names.every((name, index) => name === members[index]);
}

function typeAndPayloadOf(tuple: EventTuple): Pick<StoredEvent, "eventType" | "payload"> {
  const [kind, ...rest] = tuple;
  if (typeof kind === "string") return { eventType: kind, payload: rest[0] };
  const shape = SHAPES[kind];
  assert(shape !== undefined, "rows name shapes that there are");
  return { eventType: shape.eventType, payload: payloadOf(shape, rest) };
}

/** The original payload, with its members in their order. */
function payloadOf({ members }: Shape, values: readonly unknown[]): object {
  const payload: Record<string, unknown> = {};
  for (const [index, member] of members.entries()) payload[member] = values[index];
  return payload;
}
