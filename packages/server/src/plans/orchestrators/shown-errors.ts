import type { AppError } from "@steward/kernel/errors.js";
import type { StoredOutputs } from "../attempts/stored-outputs.js";
import type { PlanEngine } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PlanEvent } from "../plan-events.js";
import type { PlanRecord } from "../plan.js";
import type { PlanRef } from "../ports.js";

/** Dependencies of {@link ShownErrors}. */
interface ShownErrorsParts {
  readonly engine: Pick<PlanEngine, "loadPlan" | "sourcesOf">;
  readonly outputs: StoredOutputs;
}

/** Why a caller may not see what a step has left; `undefined` when the caller may. */
type RefusalOfStep = (stepId: string) => Promise<AppError | undefined>;

/**
 * The errors of steps in plans and events, as far as their reader may have the steps' outputs: an
 * error repeats names of the database.
 */
export class ShownErrors {
  readonly #parts: ShownErrorsParts;

  constructor(parts: ShownErrorsParts) {
    this.#parts = parts;
  }

  /** A plan with the errors that the caller may see. */
  async inPlan(plan: PlanRecord, ctx: QueryRuntimeContext): Promise<PlanRecord> {
    if (plan.steps.every(({ error }) => error === undefined)) return plan;
    const refusalOf = await this.#refusals({ orgId: ctx.orgId, planId: plan.planId }, ctx);
    const steps = plan.steps.map(async (step) => {
      const refusal = step.error && (await refusalOf(step.stepId));
      if (step.error === undefined || refusal === undefined) return step;
      return { ...step, error: { ...step.error, message: refusal.message } };
    });
    return { ...plan, steps: await Promise.all(steps) };
  }

  /** Events with the errors that the caller may see. */
  async inEvents(
    ref: PlanRef,
    events: readonly PlanEvent[],
    ctx: QueryRuntimeContext,
  ): Promise<readonly PlanEvent[]> {
    if (!events.some(mayTellError)) return events;
    const refusalOf = await this.#refusals(ref, ctx);
    return Promise.all(
      events.map(async (event) => (mayTellError(event) ? shownEvent(event, refusalOf) : event)),
    );
  }

  async #refusals(ref: PlanRef, ctx: QueryRuntimeContext): Promise<RefusalOfStep> {
    const { engine, outputs } = this.#parts;
    const loaded = await engine.loadPlan(ref);
    const known = new Map<string, Promise<AppError | undefined>>();
    return async (stepId) => {
      const step = loaded.prepared.find(({ id }) => id === stepId);
      if (step === undefined) return undefined;
      const refusal = known.get(stepId) ?? outputs.refusal(ctx, engine.sourcesOf(loaded, step));
      known.set(stepId, refusal);
      return refusal;
    };
  }
}

function mayTellError({ eventType, payloadJson }: PlanEvent): boolean {
  if (eventType === "PlanFailed") return true;
  return eventType === "PlanStepExecuted" && payloadJson.includes('"error"');
}

/** The members of a payload that name the failed step and repeat its error. */
interface FailurePayload {
  readonly step_id?: string;
  readonly error?: object;
  readonly failed_step_id?: string;
}

async function shownEvent(event: PlanEvent, refusalOf: RefusalOfStep): Promise<PlanEvent> {
  // Only this program writes payloads.
  const payload = JSON.parse(event.payloadJson) as FailurePayload;
  const stepId = payload.step_id ?? payload.failed_step_id;
  const refusal = stepId === undefined ? undefined : await refusalOf(stepId);
  if (refusal === undefined) return event;
  const { message } = refusal;
  const shown =
    payload.error === undefined
      ? { ...payload, reason: message }
      : { ...payload, error: { ...payload.error, message } };
  return { ...event, payloadJson: JSON.stringify(shown) };
}
