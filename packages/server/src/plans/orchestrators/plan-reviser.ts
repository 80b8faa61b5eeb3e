import { assert } from "@steward/kernel/assert.js";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";
import { sessionFor } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { unlimitedStorage } from "@steward/kernel/storage-gate.js";
import { renamedBy, writtenBy } from "../authors.js";
import { requireApprovedRevision } from "../../approvals/index.js";
import { requireDataSources } from "../data-source-use.js";
import { originOf } from "../../kernel/origin.js";
import type { FieldOfStep } from "../dag.js";
import type { PlanEngine } from "../engine/index.js";
import { forkedSteps, forkOrigin } from "../fork.js";
import type {
  PlanFork,
  PlanRevisions,
  QueryRuntimeContext,
  StepRevision,
  StepsToAppend,
} from "../orchestrator.js";
import type { PlanRecord, PlanRevised, PreparedStep, StepDefinition } from "../plan.js";
import { prepareSteps, type StepsToPrepare } from "../preparation/prepare.js";
import { readAhead } from "../preparation/read-ahead.js";
import { conflictText, earlierRevision, type PlanRevision } from "../transitions.js";
import type { DurableOrchestratorOptions } from "./durable-orchestrator.js";
import type { StoredOutputs } from "../attempts/stored-outputs.js";
import { permitSteps } from "../attempts/permit-steps.js";
import { createdOrRepeated, type KeyedRequest } from "./repeated-request.js";
import { requestHash } from "./request-hash.js";
import { definitionBytes } from "./stored-size.js";

/** A plan as it was read, against which a change is checked. */
type Basis = Awaited<ReturnType<PlanEngine["loadPlan"]>>;

/** A plan's steps with a proposed revision, before the revision is checked. */
interface WantedSteps extends StepsToPrepare {
  readonly toChange: (prepared: readonly PreparedStep[]) => PlanRevision["change"];
}

/**
 * Maximum number of checks of a revision when other revisions are accepted in between. After these
 * the caller gets an error.
 */
const CHECKS_MAX = 5;

/**
 * Revises the steps of running plans. New and revised steps are checked and permitted like
 * submitted ones. The engine then accepts the revision only if the plan's steps have not changed
 * since the check.
 */
export class PlanReviser implements PlanRevisions {
  readonly #options: DurableOrchestratorOptions;

  readonly #outputs: StoredOutputs;

  constructor(options: DurableOrchestratorOptions, outputs: StoredOutputs) {
    this.#options = options;
    this.#outputs = outputs;
  }

  async appendSteps(
    planId: string,
    { steps, expectedRevision }: StepsToAppend,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised> {
    if (steps.length === 0) throw invalidField("steps", "name at least one step to append");
    const request = { kind: "append", planId, steps, expectedRevision };
    return this.#revise(planId, request, ctx, ({ prepared, state }) => {
      requireApprovedRevision(ctx, "plan", state.revision);
      return appended(prepared, steps);
    });
  }

  reviseStep(
    planId: string,
    stepId: string,
    { changes, expectedRevision }: StepRevision,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised> {
    const request = { kind: "revise", planId, stepId, changes, expectedRevision };
    return this.#revise(planId, request, ctx, ({ prepared, state }) => {
      const revised = prepared.find(({ id }) => id === stepId);
      if (revised === undefined) {
        throw new AppError("STEP_NOT_FOUND", `Plan ${planId} has no step ${stepId}`);
      }
      requireApprovedRevision(ctx, "step", revised.revision);
      const present = definitionOf(revised);
      const wanted = { ...present, ...changes };
      const status = state.steps[revised.index]?.status;
      const isTaken = status === "running" || status === "completed";
      if (isTaken && isSame(wanted, present)) return undefined;
      return withChanges(prepared, revised.index, wanted);
    });
  }

  async forkPlan(planId: string, fork: PlanFork, ctx: QueryRuntimeContext): Promise<PlanRevised> {
    const { stepId, steps } = fork;
    const request = { kind: "fork", planId, stepId, steps };
    const created = await createdOrRepeated(this.#options.engine, ctx, request, (keyed) =>
      this.#fork(planId, fork, ctx, keyed),
    );
    return { planId: created.planId, status: created.status, revision: created.revision ?? 1 };
  }

  async #fork(
    planId: string,
    { stepId, steps }: PlanFork,
    ctx: QueryRuntimeContext,
    keyed: KeyedRequest,
  ): Promise<PlanRecord> {
    const {
      engine,
      clock,
      ids,
      planDeadlineMs,
      access,
      policy,
      storage = unlimitedStorage,
    } = this.#options;
    const source = await engine.loadPlan({ orgId: ctx.orgId, planId });
    requireApprovedRevision(ctx, "plan", source.state.revision);
    if (stepId !== undefined && source.prepared.every(({ id }) => id !== stepId)) {
      throw new AppError("STEP_NOT_FOUND", `Plan ${planId} has no step ${stepId}`);
    }
    const fork = forkOrigin(source, stepId);
    if (steps.length === 0 && fork.taken.length === source.prepared.length) {
      throw new AppError(
        "INVALID_PLAN",
        "Every step is completed, so that the fork would have nothing to run: name a step to run anew, or steps to append",
      );
    }
    const sessionId = sessionFor(ctx, source.state.sessionId);
    const added =
      steps.length === 0 ? [] : await this.#checked(appended(source.prepared, steps), ctx);
    const all = writtenBy(ctx, forkedSteps([...source.prepared, ...added]), source.prepared);
    // The caller must be allowed to have each step run, also those whose outputs are taken over.
    requireDataSources(all, access, ctx);
    await permitSteps(ctx, all, this.#options);
    const taken = new Set(fork.taken.map((step) => step.stepId));
    const sources = engine.sourcesIn(source);
    // Whatever a step that is taken over has bound is taken over too.
    const outputs = source.prepared.flatMap((step) =>
      taken.has(step.id) ? [sources.own(step)] : [],
    );
    await this.#outputs.permit(ctx, outputs);
    storage.admit(ctx.orgId, "plans", definitionBytes(all));
    const createdAtMs = clock.nowMs();
    const { name, description, state } = source;
    const { onFailure, keepOpen } = state;
    const written = all.map((step, index) =>
      index === 0 && state.authors.length > 0 ? { ...step, authors: state.authors } : step,
    );
    return engine.createPlan({
      ref: { orgId: ctx.orgId, planId: ids.orderedUuid() },
      origin: originOf(ctx, await policy.versionFor(ctx)),
      ...{ sessionId, name, description, onFailure, keepOpen, steps: written, fork },
      createdAtMs,
      deadlineMs: createdAtMs + planDeadlineMs,
      ...keyed,
    });
  }

  async finishPlan(planId: string, ctx: QueryRuntimeContext): Promise<void> {
    const { engine, policy } = this.#options;
    const origin = originOf(ctx, await policy.versionFor(ctx));
    await engine.finishPlan({ orgId: ctx.orgId, planId }, origin);
  }

  /** @param wantedSteps `undefined`: the plan is as wanted already. */
  async #revise(
    planId: string,
    request: { readonly kind: string; readonly expectedRevision: number | undefined },
    ctx: QueryRuntimeContext,
    wantedSteps: (basis: Basis) => WantedSteps | undefined,
  ): Promise<PlanRevised> {
    const { engine, clock, policy, planDeadlineMs } = this.#options;
    const ref = { orgId: ctx.orgId, planId };
    const keyed = keyedRequest(ctx, request);
    for (let check = 1; ; check += 1) {
      const basis = await engine.loadPlan(ref);
      const { revision } = basis.state;
      const repeated = earlierAnswer(basis, keyed);
      if (repeated !== undefined) return repeated;
      const { expectedRevision = revision } = request;
      if (expectedRevision !== revision) {
        throw new AppError("REVISION_CONFLICT", conflictText(basis.state, expectedRevision));
      }
      const wanted = wantedSteps(basis);
      if (wanted === undefined) return { planId, status: basis.state.status, revision };
      const { toChange, ...toPrepare } = wanted;
      const checked = await this.#checked(toPrepare, ctx);
      const present = new Map(basis.prepared.map((step) => [step.id, step]));
      const former = checked.map(({ id, queryTemplate }) => {
        const step = present.get(id);
        return step?.queryTemplate === queryTemplate ? step : undefined;
      });
      const written = writtenBy(ctx, checked, former).map((step) => {
        const before = present.get(step.id);
        return before !== undefined && isRenamed(before, step)
          ? renamedBy(ctx, before, step)
          : step;
      });
      const change = toChange(written);
      const deadlineMs = clock.nowMs() + planDeadlineMs;
      try {
        const revision = { change, expectedRevision, deadlineMs, request: keyed };
        const origin = originOf(ctx, await policy.versionFor(ctx));
        return await engine.revisePlan(ref, revision, origin);
      } catch (error) {
        const isLate = error instanceof AppError && error.code === "REVISION_CONFLICT";
        if (!isLate || request.expectedRevision !== undefined || check === CHECKS_MAX) throw error;
      }
    }
  }

  /** Checks and authorizes the changed steps like a submission. */
  async #checked(
    wanted: StepsToPrepare,
    ctx: QueryRuntimeContext,
  ): Promise<readonly PreparedStep[]> {
    const { tools, access, reader, storage = unlimitedStorage } = this.#options;
    const changed = wanted.steps.filter((_step, index) => wanted.changed.has(index));
    const plan = { name: "", description: "", steps: changed };
    const read = await readAhead(plan, tools, reader, ctx.orgId);
    const prepared = prepareSteps(wanted, { ...this.#options, read });
    requireDataSources(prepared, access, ctx, wanted.fieldOf);
    await permitSteps(ctx, prepared, this.#options, wanted.fieldOf);
    storage.admit(ctx.orgId, "plans", definitionBytes(prepared));
    return prepared;
  }
}

function appended(
  prepared: readonly PreparedStep[],
  steps: readonly StepDefinition[],
): WantedSteps {
  const first = prepared.length;
  const fieldOf: FieldOfStep = (index) =>
    index < first
      ? `the plan's step ${String(prepared[index]?.id)}`
      : `steps[${String(index - first)}]`;
  return {
    steps: [...prepared, ...steps],
    changed: new Set(steps.map((_step, index) => first + index)),
    fieldOf,
    toChange: (ready) => ({ kind: "append", steps: ready }),
  };
}

function withChanges(
  prepared: readonly PreparedStep[],
  index: number,
  definition: StepDefinition,
): WantedSteps {
  return {
    steps: [...prepared.slice(0, index), definition, ...prepared.slice(index + 1)],
    changed: new Set([index]),
    fieldOf: () => "step",
    toChange: ([step]) => {
      assert(step !== undefined, "a step that was checked without a violation is prepared");
      return { kind: "revise", step };
    },
  };
}

/** Whether nothing of a step has changed but its name. */
function isRenamed(before: PreparedStep, after: PreparedStep): boolean {
  const { dataSource, intent } = after;
  const isAsBefore = before.dataSource === dataSource && before.intent === intent;
  return isAsBefore && isSame({ ...definitionOf(before), name: after.name }, definitionOf(after));
}

function isSame(one: StepDefinition, other: StepDefinition): boolean {
  return canonicalJson({ ...one }) === canonicalJson({ ...other });
}

/**
 * The step as a submission would contain it. A derived intent is left out, so that it is derived
 * again.
 */
function definitionOf(step: PreparedStep): StepDefinition {
  const { id, name, toolName, intentSource, queryTemplate, dependsOn, schemaTableHints } = step;
  const { timeoutMs, maxRows, maxBytes, dataSource, dataSourceBy } = step;
  const intent = intentSource === "explicit" ? step.intent : "";
  return {
    ...{ id, name, toolName, intent, queryTemplate, dependsOn, schemaTableHints },
    ...(dataSourceBy === "step" ? { dataSource } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxRows === undefined ? {} : { maxRows }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
}

function keyedRequest(
  { idempotencyKey: key }: QueryRuntimeContext,
  request: object,
): PlanRevision["request"] {
  // A request is made of strings, numbers and lists only.
  return key === undefined ? undefined : { key, requestHash: requestHash(request as JsonValue) };
}

/** The answer to a request that was made before, which its own change would now make invalid. */
function earlierAnswer(
  { state }: Basis,
  request: PlanRevision["request"],
): PlanRevised | undefined {
  const earlier = earlierRevision(state, request);
  if (earlier?.kind === "refused") throw new AppError(earlier.code, earlier.message);
  if (earlier?.kind !== "repeated") return undefined;
  return { planId: state.planId, status: state.status, revision: earlier.revision };
}
