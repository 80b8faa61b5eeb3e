import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { Refusal, type Client, type EventView, type Execution, type Wire } from "./client.js";

/** When a step that is not settled fails its scenario. */
const PATIENCE_MS = 60_000;

/** An expected refusal: its code, and the status in each protocol. */
export interface ExpectedRefusal {
  readonly code: string;
  readonly grpc: string;
  readonly rest: number;
  /** The path of a field that must be in the details, in REST's names. */
  readonly field?: string;
  readonly message?: RegExp;
}

/** Expects a call to be refused like this. */
export async function expectRefusal(
  wire: Wire,
  call: Promise<unknown>,
  expected: ExpectedRefusal,
): Promise<Refusal> {
  const refusal = await call.then(
    (answer) => expect.fail(`not refused: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (!(refusal instanceof Refusal)) throw refusal;
  expect({ status: refusal.status, code: refusal.code }).toEqual({
    status: wire === "grpc" ? expected.grpc : String(expected.rest),
    code: expected.code,
  });
  expect(refusal.message).toMatch(expected.message ?? /\S/);
  if (expected.field !== undefined) {
    expect(refusal.details.map(({ field }) => field)).toContain(expected.field);
    for (const { reason } of refusal.details) expect(reason).toMatch(/\S/);
  }
  return refusal;
}

/** Expects that a step may not run: gRPC answers in the body, REST with its status. */
export function expectNotRun(
  wire: Wire,
  execution: Execution,
  expected: { readonly code: string; readonly rest: number },
): void {
  expect({
    success: execution.success,
    status: execution.status,
    code: execution.error_code,
    ran: execution.step_result !== undefined,
  }).toEqual({
    success: false,
    status: wire === "grpc" ? "OK" : String(expected.rest),
    code: expected.code,
    ran: false,
  });
  expect(execution.error_message).toMatch(/\S/);
}

/** Executes a step that must complete. @returns its rows. */
export async function rowsOf(
  client: Client,
  planId: string,
  stepId: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { error_message, llm_context_update, step_result } = await client.execute(planId, stepId);
  expect({ status: step_result?.status, error_message }).toEqual({
    status: "completed",
    error_message: "",
  });
  return JSON.parse(llm_context_update?.tool_output_json ?? "");
}

/** Waits until a step has this status. */
export async function untilStep(
  client: Client,
  planId: string,
  stepId: string,
  status: string,
): Promise<void> {
  const statusNow = async (): Promise<string | undefined> =>
    (await client.getPlan(planId)).steps.find(({ step_id }) => step_id === stepId)?.status;
  await expect.poll(statusNow).toBe(status);
}

/** All events of an ended plan. */
export async function eventsOf(
  client: Client,
  planId: string,
  afterSequence?: number,
): Promise<readonly EventView[]> {
  const events: EventView[] = [];
  for await (const event of client.events(planId, afterSequence)) events.push(event);
  return events;
}

/** The events with their steps, as in `PlanStepStarted a`. */
export function storyOf(events: readonly EventView[]): readonly string[] {
  return events.map((event) => {
    const { step_id } = payloadOf(event);
    return typeof step_id === "string" ? `${event.event_type} ${step_id}` : event.event_type;
  });
}

export function payloadOf(event: EventView | undefined): Readonly<Record<string, unknown>> {
  return JSON.parse(event?.payload_json ?? "");
}

/** Repeats the execution until the restarted server has settled what the crash left running. */
export async function insist(client: Client, planId: string, stepId: string): Promise<Execution> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (performance.now() < giveUpAt) {
    const execution = await client.execute(planId, stepId).catch(() => undefined);
    if (execution?.step_result !== undefined) return execution;
    await delay(100);
  }
  return expect.fail(`step ${stepId} was not settled`);
}
