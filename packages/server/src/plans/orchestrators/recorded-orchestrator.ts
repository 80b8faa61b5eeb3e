import { recordedCaller, sessionOr } from "@steward/kernel/caller.js";
import { isoTime, type Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import { NAME_LENGTH_MAX, SESSION_ID_LENGTH_MAX } from "../../kernel/limits.js";
import { TEMPLATE_BYTES_MAX } from "../limits.js";
import type { Log } from "@steward/kernel/log.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { TOOL_CALL_OUTPUT_BYTES_MAX } from "../../kernel/tool-call.js";
import { intentOfToolName, isIntent } from "../../governance/index.js";
import { hintsOf } from "../context-update.js";
import { cutToBytes } from "../cut-text.js";
import {
  hasApprovals,
  hasChecks,
  hasJournal,
  hasRevisions,
  hasStepDetails,
  type Orchestrator,
  type PlanApprovals,
  type PlanChecks,
  type PlanJournal,
  type PlanRevisions,
  type QueryRuntimeContext,
  type StepDetails,
} from "../orchestrator.js";
import type { PlanDefinition, PlanRecord, StepExecution } from "../plan.js";
import { faultOfExecution, faultOfPlan } from "./orchestrator-answers.js";
import type { KeepToolCall } from "./tool-call-keeper.js";

/**
 * Number of cached plan definitions. The definitions of other plans are requested from the
 * orchestrator.
 */
const PLANS_REMEMBERED_MAX = 1000;

/** Dependencies for recording the calls of a custom orchestrator. */
export interface RecordedOrchestratorParts {
  readonly keep: KeepToolCall;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/**
 * Wraps a custom orchestrator: each step that it runs is recorded as a tool call (Contract §4.5,
 * recording rule 1), and the text of an error that it throws reaches the caller (Contract §4.3,
 * §7). Its operations beyond the four stay unchanged.
 */
export function recordedOrchestrator(
  inner: Orchestrator,
  parts: RecordedOrchestratorParts,
): Orchestrator | (Orchestrator & PlanJournal) {
  const own = new RecordedOrchestrator(inner, parts);
  const four: Orchestrator = {
    createPlan: (...given) => own.createPlan(...given),
    getPlan: (...given) => withText(() => inner.getPlan(...given)),
    executeStep: (...given) => own.executeStep(...given),
    cancelPlan: (...given) => withText(() => inner.cancelPlan(...given)),
  };
  const revisions = hasRevisions(inner) ? own.revisionsOf(inner) : {};
  const checks: Partial<PlanChecks> = hasChecks(inner)
    ? { checkPlan: (...given) => withText(() => inner.checkPlan(...given)) }
    : {};
  const details: Partial<StepDetails> = hasStepDetails(inner)
    ? { getStep: (...given) => withText(() => inner.getStep(...given)) }
    : {};
  const approvals: Partial<PlanApprovals> = hasApprovals(inner)
    ? {
        listApprovals: (...given) => withText(() => inner.listApprovals(...given)),
        getApproval: (...given) => withText(() => inner.getApproval(...given)),
        decideApproval: (...given) => withText(() => inner.decideApproval(...given)),
        revokeApproval: (...given) => withText(() => inner.revokeApproval(...given)),
      }
    : {};
  const offered = { ...four, ...revisions, ...checks, ...details, ...approvals };
  if (!hasJournal(inner)) return offered;
  const journal: PlanJournal = {
    listPlans: (...given) => withText(() => inner.listPlans(...given)),
    retryPlan: (...given) => withText(() => inner.retryPlan(...given)),
    readEvents: (...given) => withText(() => inner.readEvents(...given)),
    onPlanEvents: (...given) => inner.onPlanEvents(...given),
  };
  return { ...offered, ...journal };
}

/** The known facts about a step's tool. */
interface CalledTool {
  readonly toolName: string;
  readonly intent: string;
  readonly query: string;
  readonly sessionId: string;
}

class RecordedOrchestrator {
  readonly #inner: Orchestrator;
  readonly #parts: RecordedOrchestratorParts;
  readonly #plans = new RecentMap<{ readonly sessionId: string } & PlanDefinition>(
    PLANS_REMEMBERED_MAX,
  );

  constructor(inner: Orchestrator, parts: RecordedOrchestratorParts) {
    this.#inner = inner;
    this.#parts = parts;
  }

  async createPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRecord> {
    const plan = await withText(() => this.#inner.createPlan(sessionId, definition, ctx));
    const fault = faultOfPlan(plan);
    if (fault !== undefined) throw new AppError("INTERNAL", fault);
    this.#plans.getOrMake(`${ctx.orgId}/${plan.planId}`, () => ({ ...definition, sessionId }));
    return plan;
  }

  /** The changes of plans that the orchestrator offers; a plan that was changed is asked for again. */
  revisionsOf(inner: PlanRevisions): PlanRevisions {
    const forgetting = <Result>(
      planId: string,
      ctx: QueryRuntimeContext,
      call: () => Promise<Result>,
    ) =>
      withText(call).finally(() => {
        this.#plans.delete(`${ctx.orgId}/${planId}`);
      });
    return {
      appendSteps: (planId, steps, ctx) =>
        forgetting(planId, ctx, () => inner.appendSteps(planId, steps, ctx)),
      reviseStep: (planId, stepId, revision, ctx) =>
        forgetting(planId, ctx, () => inner.reviseStep(planId, stepId, revision, ctx)),
      forkPlan: (...given) => withText(() => inner.forkPlan(...given)),
      finishPlan: (...given) => withText(() => inner.finishPlan(...given)),
    };
  }

  async executeStep(
    planId: string,
    stepId: string,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    const startedMs = performance.now();
    const execution = await this.#execute(planId, stepId, ctx);
    const { stepResult, llmContextUpdate, replayed } = execution;
    if (!replayed) await this.#record(execution, ctx, performance.now() - startedMs);
    const augmentationHints = hintsOf(stepResult, llmContextUpdate.augmentationHints);
    return { ...execution, llmContextUpdate: { ...llmContextUpdate, augmentationHints } };
  }

  /**
   * A refusal stays an error, because no tool was called. Any other error is the failure of the
   * step.
   */
  async #execute(planId: string, stepId: string, ctx: QueryRuntimeContext): Promise<StepExecution> {
    const asked = { planId, stepId };
    try {
      const execution = await this.#inner.executeStep(planId, stepId, ctx);
      const fault = faultOfExecution(execution, asked);
      return fault === undefined ? execution : this.#failed(asked, fault);
    } catch (thrown) {
      if (thrown instanceof AppError) throw thrown;
      return this.#failed(asked, textOf(thrown), thrown);
    }
  }

  #failed(
    asked: { readonly planId: string; readonly stepId: string },
    message: string,
    err?: unknown,
  ): StepExecution {
    const { clock, log } = this.#parts;
    log.warn({ err, reason: message, ...asked }, "orchestrator failed to run a step");
    const { stepId } = asked;
    const error = { code: "STEP_FAILED", message } as const;
    const executedAt = isoTime(clock.nowMs());
    return {
      stepResult: { stepId, status: "failed", rowCount: 0, executedAt, attempt: 1, error },
      llmContextUpdate: {
        ...asked,
        toolOutputJson: "[]",
        schemaAdditions: [],
        augmentationHints: [],
      },
      replayed: false,
    };
  }

  /** The step has run, so its result is returned even if recording fails. */
  async #record(
    { stepResult, llmContextUpdate }: StepExecution,
    ctx: QueryRuntimeContext,
    durationMs: number,
  ): Promise<void> {
    const { keep, clock, ids, log } = this.#parts;
    const { planId, stepId } = llmContextUpdate;
    try {
      const tool = await this.#toolOf(planId, stepId, ctx);
      await keep({
        eventId: ids.uuid(),
        orgId: ctx.orgId,
        sessionId: storableText(sessionOr(ctx, tool.sessionId), SESSION_ID_LENGTH_MAX),
        planId,
        stepId,
        attempt: stepResult.attempt,
        caller: recordedCaller(ctx),
        dataSource: "",
        touched: undefined,
        toolName: storableText(tool.toolName, NAME_LENGTH_MAX),
        ...intentOf(tool),
        ormModel: ctx.ormModel,
        status: stepResult.status,
        rowCount: stepResult.rowCount,
        error:
          stepResult.error && storableText(stepResult.error.message, TOOL_CALL_OUTPUT_BYTES_MAX),
        query: storableText(tool.query, TEMPLATE_BYTES_MAX),
        output: storableText(llmContextUpdate.toolOutputJson, TOOL_CALL_OUTPUT_BYTES_MAX),
        finishedAtMs: clock.nowMs(),
        durationMs: Math.round(durationMs * 10) / 10,
      });
    } catch (error) {
      log.error({ err: error, planId, stepId }, "tool call could not be recorded");
    }
  }

  async #toolOf(planId: string, stepId: string, ctx: QueryRuntimeContext): Promise<CalledTool> {
    const key = `${ctx.orgId}/${planId}`;
    const plan = this.#plans.get(key) ?? (await this.#inner.getPlan(planId, ctx));
    const sessionId = plan?.sessionId ?? "";
    for (const step of plan?.steps ?? []) {
      const id = "id" in step ? step.id : step.stepId;
      if (id !== stepId) continue;
      const query = "queryTemplate" in step ? step.queryTemplate : "";
      return { toolName: step.toolName, intent: step.intent, query, sessionId };
    }
    return { toolName: "unknown", intent: "", query: "", sessionId };
  }
}

/**
 * A text that every store accepts: the text of a custom orchestrator has not been checked before.
 */
function storableText(text: string, bytesMax: number): string {
  return cutToBytes(text.replaceAll("\0", "\uFFFD"), bytesMax);
}

/**
 * The rules of Decision §7 that need no statement, because a custom orchestrator may not run SQL.
 */
function intentOf({ intent, toolName }: CalledTool): {
  readonly intent: string;
  readonly intentSource: string;
} {
  if (isIntent(intent)) return { intent, intentSource: "explicit" };
  const named = intentOfToolName(toolName);
  return named === undefined
    ? { intent: "write_update", intentSource: "default" }
    : { intent: named, intentSource: "name" };
}

/** @throws AppError `INTERNAL` with the text of an error that is not an AppError. */
async function withText<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError("INTERNAL", textOf(thrown), { cause: thrown });
  }
}

function textOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : typeof thrown === "string" ? thrown : "";
  return text === ""
    ? "The orchestrator failed without a reason; the server's log has the details"
    : text;
}
