import { AppError } from "@steward/kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type {
  Orchestrator,
  PageRequest,
  PlanDefinition,
  PlanEvent,
  PlanEventType,
  PlanFilter,
  PlanJournal,
  PlanPage,
  PlanRecord,
  PlanStatus,
  QueryRuntimeContext,
  StepExecution,
  StepRecord,
} from "../../plans/index.js";

const NOW = "2026-03-01T09:30:00.000Z";

/** One plan with all its data. */
interface Entry {
  plan: PlanRecord;
  readonly events: PlanEvent[];
  readonly executions: Map<string, StepExecution>;
  readonly listeners: Set<() => void>;
}

/**
 * A custom orchestrator: it keeps plans in memory and runs no SQL. A step with the template `fail`
 * fails; a step with the template `wait` waits for the test.
 */
export class InMemoryOrchestrator implements Orchestrator, PlanJournal {
  readonly #entries = new Map<string, Entry>();
  readonly #templates = new Map<string, string>();
  /** The context of the last call. */
  lastContext: QueryRuntimeContext | undefined;
  /** The error of every call, if set. */
  broken: Error | undefined;
  /** Events returned by `readEvents`. */
  eventsRead = 0;
  /** Number of waiting steps. */
  waiting = 0;
  /** Ends the step that started to wait last. */
  release: () => void = () => undefined;

  async createPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRecord> {
    this.#enter(ctx);
    if (definition.steps.length === 0) {
      const details = [{ field: "steps", reason: "must have at least one step" }];
      throw new AppError("INVALID_PLAN", "steps: must have at least one step", { details });
    }
    const planId = `plan-${this.#entries.size + 1}`;
    const { name, description } = definition;
    const plan: PlanRecord = {
      ...{ planId, orgId: ctx.orgId, sessionId, name, description },
      status: "pending",
      createdAt: NOW,
      steps: definition.steps.map(({ id, name, toolName, intent, dependsOn }): StepRecord => ({
        ...{ stepId: id, name, toolName, intent, dependsOn },
        status: "pending",
        attempt: 0,
      })),
    };
    const executions = new Map<string, StepExecution>();
    const entry: Entry = { plan, events: [], executions, listeners: new Set() };
    for (const step of definition.steps)
      this.#templates.set(`${planId}/${step.id}`, step.queryTemplate);
    this.#entries.set(planId, entry);
    append(entry, "PlanCreated");
    return plan;
  }

  async getPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord | undefined> {
    this.#enter(ctx);
    const entry = this.#entries.get(planId);
    return entry?.plan.orgId === ctx.orgId ? entry.plan : undefined;
  }

  async executeStep(
    planId: string,
    stepId: string,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    this.#enter(ctx);
    const entry = this.#entry(planId, ctx);
    const stored = entry.executions.get(stepId);
    if (stored !== undefined) return { ...stored, replayed: true };
    if (!entry.plan.steps.some((step) => step.stepId === stepId)) {
      throw new AppError("STEP_NOT_FOUND", `Unknown step ${stepId}`);
    }
    const template = this.#templates.get(`${planId}/${stepId}`);
    if (template === "wait") await this.#untilReleased(ctx.signal);
    const failed = template === "fail";
    const error = { code: "STEP_FAILED", message: "no such column: nme" } as const;
    const status = failed ? "failed" : "completed";
    const execution: StepExecution = {
      stepResult: {
        ...{ stepId, status, rowCount: failed ? 0 : 1, executedAt: NOW, attempt: 1 },
        ...(failed ? { error } : {}),
      },
      llmContextUpdate: {
        planId,
        stepId,
        toolOutputJson: '[{"id":7}]',
        schemaAdditions: [{ tableName: "t", operation: "NEW", tableDefJson: "{}" }],
        augmentationHints: failed ? ["did you mean name?"] : [],
      },
      replayed: false,
    };
    entry.executions.set(stepId, execution);
    append(entry, "PlanStepExecuted");
    if (entry.executions.size === entry.plan.steps.length) {
      this.finish(planId, failed ? "failed" : "completed");
    }
    return execution;
  }

  async cancelPlan(planId: string, ctx: QueryRuntimeContext): Promise<void> {
    this.#enter(ctx);
    const entry = this.#entry(planId, ctx);
    const { status } = entry.plan;
    if (status === "completed" || status === "failed") {
      throw new AppError("PLAN_NOT_ACTIVE", `The plan is ${status}`);
    }
    if (status !== "cancelled") this.finish(planId, "cancelled");
  }

  async listPlans(
    filter: PlanFilter,
    page: PageRequest,
    ctx: QueryRuntimeContext,
  ): Promise<PlanPage> {
    this.#enter(ctx);
    const all = [...this.#entries.values()]
      .map(({ plan }) => plan)
      .filter(({ orgId }) => orgId === ctx.orgId)
      .filter(({ status }) => filter.status === undefined || filter.status === status)
      .filter(({ sessionId }) => (filter.sessionId ?? sessionId) === sessionId)
      .filter(({ name }) => name.includes(filter.text ?? ""))
      .reverse();
    const start = Number(page.cursor ?? "0");
    const end = start + page.limit;
    return {
      plans: all.slice(start, end),
      ...(end < all.length ? { nextCursor: String(end) } : {}),
    };
  }

  async retryPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord> {
    this.#enter(ctx);
    const entry = this.#entry(planId, ctx);
    if (entry.plan.status !== "failed") {
      throw new AppError("PLAN_NOT_ACTIVE", "Only a failed plan can be retried");
    }
    entry.plan = { ...entry.plan, status: "running" };
    append(entry, "PlanRetried");
    return entry.plan;
  }

  async readEvents(
    planId: string,
    afterSequence: number,
    limit: number,
    ctx: QueryRuntimeContext,
  ): Promise<readonly PlanEvent[]> {
    this.#enter(ctx);
    const { events } = this.#entry(planId, ctx);
    if (afterSequence > events.length) {
      throw new AppError("CURSOR_OUT_OF_RANGE", "The cursor is beyond the newest event");
    }
    const page = events.slice(afterSequence, afterSequence + limit);
    this.eventsRead += page.length;
    return page;
  }

  onPlanEvents(planId: string, wake: () => void): Unsubscribe {
    const listeners = this.#entries.get(planId)?.listeners ?? new Set();
    listeners.add(wake);
    return () => listeners.delete(wake);
  }

  /** Ends the plan. */
  finish(planId: string, status: PlanStatus & ("completed" | "failed" | "cancelled")): void {
    const entry = this.#entries.get(planId);
    if (entry === undefined) throw new Error(`no plan ${planId}`);
    entry.plan = { ...entry.plan, status, finishedAt: NOW };
    append(entry, TERMINAL_EVENTS[status]);
  }

  /** Adds this many meaningless events. */
  pad(planId: string, count: number): void {
    const entry = this.#entries.get(planId);
    for (let i = 0; i < count && entry !== undefined; i += 1) append(entry, "PlanStepStarted");
  }

  /** Number of listeners for the plan's events. */
  listeners(planId: string): number {
    return this.#entries.get(planId)?.listeners.size ?? 0;
  }

  #enter(ctx: QueryRuntimeContext): void {
    this.lastContext = ctx;
    if (this.broken !== undefined) throw this.broken;
  }

  #entry(planId: string, ctx: QueryRuntimeContext): Entry {
    const entry = this.#entries.get(planId);
    if (entry?.plan.orgId === ctx.orgId) return entry;
    throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${planId}`);
  }

  /** Runs like an endless statement, until the test ends it or the caller disconnects. */
  async #untilReleased(signal: AbortSignal): Promise<void> {
    this.waiting += 1;
    await new Promise<void>((resolve, reject) => {
      this.release = resolve;
      signal.addEventListener("abort", () => {
        reject(new AppError("CANCELLED", "The caller has gone"));
      });
    });
  }
}

const TERMINAL_EVENTS = {
  completed: "PlanCompleted",
  failed: "PlanFailed",
  cancelled: "PlanCancelled",
} as const;

function append(entry: Entry, eventType: PlanEventType): void {
  const sequence = entry.events.length + 1;
  const { planId } = entry.plan;
  entry.events.push({ planId, sequence, eventType, payloadJson: "{}", timestamp: NOW });
  for (const wake of entry.listeners) wake();
}
