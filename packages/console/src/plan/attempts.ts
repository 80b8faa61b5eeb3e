import type { PlanEvent } from "@steward/client";

/** One attempt of a step, as the plan's events tell it. Times are in ms since the epoch. */
export interface Attempt {
  readonly number: number;
  readonly startedMs: number;
  /** Absent while it runs. */
  readonly endedMs?: number;
  readonly status?: string;
  readonly error?: string;
  readonly rowCount?: number;
}

/** The step that an event is about; `undefined` for events of the whole plan. */
export function stepOf(payload: EventPayload): string | undefined {
  return typeof payload.step_id === "string" ? payload.step_id : undefined;
}

/** The members of an event's payload that the console shows; the server may add others. */
export interface EventPayload {
  readonly step_id?: unknown;
  readonly attempt?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
  readonly row_count?: unknown;
  readonly duration_ms?: unknown;
}

/** The payload of an event; empty when it is not an object. */
export function payloadOf({ payload_json: json }: PlanEvent): EventPayload {
  const payload: unknown = JSON.parse(json);
  return typeof payload === "object" && payload !== null ? payload : {};
}

/** Adds what an event tells of an attempt. @returns the attempts of its step, or those given. */
export function withEvent(
  attempts: readonly Attempt[],
  event: PlanEvent,
  payload: EventPayload,
): readonly Attempt[] {
  const atMs = Date.parse(event.timestamp);
  const number = typeof payload.attempt === "number" ? payload.attempt : attempts.length;
  if (event.event_type === "PlanStepStarted") {
    return [
      ...attempts.filter((attempt) => attempt.number !== number),
      { number, startedMs: atMs },
    ];
  }
  if (event.event_type !== "PlanStepExecuted") return attempts;
  const started = attempts.find((attempt) => attempt.number === number);
  const durationMs = typeof payload.duration_ms === "number" ? payload.duration_ms : 0;
  return [
    ...attempts.filter((attempt) => attempt !== started),
    {
      number,
      startedMs: started?.startedMs ?? atMs - durationMs,
      endedMs: atMs,
      ...(typeof payload.status === "string" ? { status: payload.status } : {}),
      ...(payload.error === undefined ? {} : { error: errorText(payload.error) }),
      ...(typeof payload.row_count === "number" ? { rowCount: payload.row_count } : {}),
    },
  ];
}

function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : JSON.stringify(error);
}
