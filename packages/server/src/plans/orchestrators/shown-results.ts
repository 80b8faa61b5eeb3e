import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Intent, OutputToHandOut } from "../../governance/index.js";
import type { StoredOutputs } from "../attempts/stored-outputs.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { LoadedPlan, PlanEngine, StoredResult, StoredSource } from "../engine/index.js";
import {
  RECORDED_PLANS_READ_MAX,
  RESULTS_DESCRIBED_MAX,
  RESULTS_REMEMBERED_MAX,
} from "../limits.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import { isDeadlineReason } from "../plan-ending.js";
import type { PlanEvent } from "../plan-events.js";
import type { PlanRecord, PreparedStep, StepRecord } from "../plan.js";
import type { PlanRef } from "../ports.js";
import { boundSteps } from "../statements/compiled-statement.js";

/** Dependencies of {@link ShownResults}. */
interface ShownResultsParts {
  readonly engine: Pick<PlanEngine, "loadPlan" | "sourcesIn">;
  readonly outputs: StoredOutputs;
}

/**
 * Why a caller may not see what an attempt of a step has told; `undefined` when the caller may.
 * @param message of the attempt's error; absent: it has completed.
 * @param call what the attempt ran, where the plan does not tell any more.
 */
type RefusalOfResult = (
  stepId: string,
  message: string | undefined,
  call?: RecordedCall,
) => Promise<AppError | undefined>;

/** The statement of an attempt that is not stored any more. */
type RecordedCall = Pick<OutputToHandOut, "dataSource" | "intent">;

/** Why a caller may not see the error that a record repeats; `undefined` when the caller may. */
type RefusalInRecord = (
  planId: string,
  error: {
    readonly stepId: string;
    readonly message: string;
    readonly call: { readonly dataSource: string; readonly intent: string } | undefined;
  },
) => ReturnType<RefusalOfResult>;

/**
 * The errors and numbers of rows in plans and events, and the errors in records, as far as their reader may have
 * the steps' outputs: an error repeats values and names of the database, and a statement can make the number of its
 * rows tell a value.
 */
export class ShownResults {
  readonly #parts: ShownResultsParts;
  /** Completed steps and their outputs never change. */
  readonly #completed = new RecentMap<StoredResult>(RESULTS_REMEMBERED_MAX);

  constructor(parts: ShownResultsParts) {
    this.#parts = parts;
  }

  /** A plan with the errors and numbers of rows that the caller may see. */
  async inPlan(plan: PlanRecord, ctx: QueryRuntimeContext): Promise<PlanRecord> {
    if (!plan.steps.some(tellsResult)) return plan;
    const refusalOf = await this.#refusals({ orgId: ctx.orgId, planId: plan.planId }, ctx);
    const steps: StepRecord[] = [];
    // One after the other, because each may ask the store and the data source.
    for (const step of plan.steps) {
      const refusal = tellsResult(step)
        ? await refusalOf(step.stepId, step.error?.message)
        : undefined;
      steps.push(refusal === undefined ? step : withoutResult(step, refusal));
    }
    return { ...plan, steps };
  }

  /** Events with the errors and numbers of rows that the caller may see. */
  async inEvents(
    ref: PlanRef,
    events: readonly PlanEvent[],
    ctx: QueryRuntimeContext,
  ): Promise<readonly PlanEvent[]> {
    if (!events.some(mayTellResult)) return events;
    const refusalOf = await this.#refusals(ref, ctx);
    const shown: PlanEvent[] = [];
    for (const event of events) {
      shown.push(mayTellResult(event) ? await shownEvent(event, refusalOf) : event);
    }
    return shown;
  }

  /** The decisions of one request about errors in records of the audit log, which outlive plans. */
  inRecords(caller: Caller, signal: AbortSignal): RefusalInRecord {
    const ctx = { ...caller, signal, requestId: "" };
    const known = new Map<string, Promise<RefusalOfResult>>();
    return async (planId, { stepId, message, call }) => {
      let refusals = known.get(planId);
      if (refusals === undefined && known.size < RECORDED_PLANS_READ_MAX) {
        refusals = this.#refusals({ orgId: caller.orgId, planId }, ctx);
        known.set(planId, refusals);
      }
      // Only this program writes the intents of calls.
      const ran = call && { ...call, intent: call.intent as Intent };
      if (refusals === undefined) return this.#parts.outputs.refusalOfUnknown(ctx, ran);
      return (await refusals)(stepId, message, ran);
    };
  }

  /**
   * The decisions about the attempts of a plan. A step keeps one result: what an earlier attempt touched
   * is not known once the step was revised, or has ended otherwise.
   */
  async #refusals(ref: PlanRef, ctx: QueryRuntimeContext): Promise<RefusalOfResult> {
    const { engine, outputs } = this.#parts;
    const loaded = await engine.loadPlan(ref).catch(unlessUnknown);
    const steps = new Map(loaded?.prepared.map((step) => [step.id, step]));
    const decided = loaded && this.#decisions(loaded, steps, ctx);
    return async (stepId, message, call) => {
      const step = steps.get(stepId);
      const error = step && loaded?.state.steps[step.index]?.error;
      const isStored = step !== undefined && error?.message === message;
      const unknown = isStored ? undefined : await outputs.refusalOfUnknown(ctx, call);
      return unknown !== undefined || step === undefined ? unknown : decided?.(step);
    };
  }

  /**
   * The decisions about the outputs of a plan's steps: each step is decided on once, however many others have
   * bound its output.
   */
  #decisions(
    loaded: LoadedPlan,
    steps: ReadonlyMap<string, PreparedStep>,
    ctx: QueryRuntimeContext,
  ): (step: PreparedStep) => Promise<AppError | undefined> {
    const { engine, outputs } = this.#parts;
    const sources = engine.sourcesIn(loaded);
    const known = new Map<string, Promise<AppError | undefined>>();
    const budget = { left: RESULTS_DESCRIBED_MAX };
    const decide = async (step: PreparedStep): Promise<AppError | undefined> => {
      const own = this.#brief(sources.own(step), loaded);
      const refusal = await outputs.refusal(ctx, [own], budget);
      if (refusal !== undefined) return refusal;
      for (const stepId of boundSteps(step.statement)) {
        const bound = steps.get(stepId);
        const ofBound = bound && (await decideOnce(bound));
        if (ofBound !== undefined) return ofBound;
      }
      return undefined;
    };
    const decideOnce = (step: PreparedStep): Promise<AppError | undefined> => {
      const decision = known.get(step.id) ?? decide(step);
      known.set(step.id, decision);
      return decision;
    };
    return decideOnce;
  }

  /** A source with the part of its result that is decided on, which is read once when the step has completed. */
  #brief(source: StoredSource, { state }: LoadedPlan): StoredSource {
    const { orgId, planId, steps } = state;
    const { id, index } = source.step;
    if (steps[index]?.status !== "completed") return source;
    const key = `${orgId}/${planId}/${id}`;
    const result = async (): Promise<StoredResult | undefined> => {
      const known = this.#completed.get(key);
      if (known !== undefined) return known;
      const stored = await source.result();
      const brief = stored && withoutOutput(stored);
      if (brief !== undefined) this.#completed.set(key, brief);
      return brief;
    };
    return { step: source.step, result };
  }
}

/** A result without its rows, which may be large. That there are none is told. */
function withoutOutput({ call, toolOutputJson }: StoredResult): StoredResult {
  return {
    toolOutputJson: toolOutputJson === "[]" ? "[]" : "",
    ...{ schemaAdditions: [], augmentationHints: [] },
    ...(call && { call: { caller: call.caller, touched: call.touched, status: call.status } }),
  };
}

function withoutResult(
  { rowCount: _rowCount, error, ...shown }: StepRecord,
  { message }: AppError,
): StepRecord {
  return error === undefined ? shown : { ...shown, error: { ...error, message } };
}

/** A plan may have been deleted. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== "PLAN_NOT_FOUND") throw error;
}

function tellsResult({ error, rowCount }: StepRecord): boolean {
  return error !== undefined || rowCount !== undefined;
}

function mayTellResult({ eventType }: PlanEvent): boolean {
  return eventType === "PlanFailed" || eventType === "PlanStepExecuted";
}

/** The members of a payload that name the step and tell of its result. */
interface ResultPayload {
  readonly step_id?: string;
  readonly row_count?: number;
  readonly error?: { readonly message: string };
  readonly failed_step_id?: string;
  readonly reason?: string;
}

async function shownEvent(event: PlanEvent, refusalOf: RefusalOfResult): Promise<PlanEvent> {
  // Only this program writes payloads.
  const payload = JSON.parse(event.payloadJson) as ResultPayload;
  const { row_count: _rowCount, error, reason, ...rest } = payload;
  const stepId = rest.step_id ?? rest.failed_step_id;
  if (stepId === undefined || (reason !== undefined && isDeadlineReason(reason))) return event;
  const refusal = await refusalOf(stepId, error?.message ?? reason);
  if (refusal === undefined) return event;
  const { message } = refusal;
  const shown = {
    ...rest,
    ...(error === undefined ? {} : { error: { ...error, message } }),
    ...(reason === undefined ? {} : { reason: message }),
  };
  return { ...event, payloadJson: JSON.stringify(shown) };
}
