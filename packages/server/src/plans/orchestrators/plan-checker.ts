import { assert } from "@steward/kernel/assert.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { StatementDecision, TouchedData } from "../../governance/index.js";
import { withWriters } from "../authors.js";
import { requireDataSources } from "../data-source-use.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PlanCheck, StepCheck } from "../plan-check.js";
import type { PlanDefinition, PreparedStep } from "../plan.js";
import { StatementError, type SqlTarget, type ToolCallQuote } from "../ports.js";
import { preparePlan } from "../preparation/prepare.js";
import { readAhead } from "../preparation/read-ahead.js";
import type { DurableOrchestratorOptions } from "./durable-orchestrator.js";
import { namedBy, plannedStatement, withCalled } from "../attempts/permit-steps.js";

/** Time limit for the description of one statement, in ms. */
const DESCRIBE_MS_MAX = 5_000;
/** Time for the descriptions of one plan, in ms; later steps are told by the names in their statements. */
const ALL_DESCRIBED_MS_MAX = 20_000;
/** Statements described at once, so that a check leaves room at a data source for steps. */
const DESCRIBED_AT_ONCE = 4;

/** Dependencies of a plan checker. */
export type PlanCheckerParts = Pick<
  DurableOrchestratorOptions,
  | "tools"
  | "access"
  | "analyzer"
  | "reader"
  | "policy"
  | "pricing"
  | "advisor"
  | "stepTimeoutMs"
  | "stepWaitMs"
>;

/** The facts about a step that are known before policies and prices are asked. */
type Described = Pick<StepCheck, "touched" | "estimate" | "problem">;

/** Tells what would happen if a plan were submitted and run. It stores and changes nothing. */
export class PlanChecker {
  readonly #parts: PlanCheckerParts;

  constructor(parts: PlanCheckerParts) {
    this.#parts = parts;
  }

  /**
   * Checks a plan as a submission does, then asks the database, the policies and the prices about
   * each step.
   * @throws AppError as a submission does for an invalid plan; `POLICY_DENIED` for a data source that
   * is not open to the organization. A step that policies forbid is part of the answer.
   */
  async checkPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanCheck> {
    const { tools, access, reader, pricing } = this.#parts;
    const read = await readAhead(definition, tools, reader, ctx.orgId);
    const steps = preparePlan(sessionId, definition, { ...this.#parts, read });
    requireDataSources(steps, access, ctx);
    const quotes = await pricing.quote(ctx, steps);
    const exceededBudgets = await pricing.exceededBudgets(ctx, sessionId, quotes);
    const untilMs = performance.now() + ALL_DESCRIBED_MS_MAX;
    const checks: StepCheck[] = [];
    for (let from = 0; from < steps.length; from += DESCRIBED_AT_ONCE) {
      ctx.signal.throwIfAborted();
      const some = steps.slice(from, from + DESCRIBED_AT_ONCE);
      const isLate = performance.now() > untilMs;
      const checked = some.map((step) => this.#checkStep(step, ctx, quotes[step.index], isLate));
      checks.push(...(await Promise.all(checked)));
    }
    return { steps: checks, exceededBudgets };
  }

  /** Checks one step of a stored plan by the names in its statement, without asking the database. */
  async checkStored(step: PreparedStep, ctx: QueryRuntimeContext): Promise<StepCheck> {
    const [quote] = await this.#parts.pricing.quote(ctx, [step]);
    return this.#checkStep(step, withWriters(ctx, step), quote, true);
  }

  async #checkStep(
    step: PreparedStep,
    ctx: QueryRuntimeContext,
    quote: ToolCallQuote | undefined,
    isLate: boolean,
  ): Promise<StepCheck> {
    assert(quote !== undefined, "each step has a quote");
    const { toolName, intent, intentSource, statementClass, dataSource } = step;
    const known = { stepId: step.id, toolName, intent, intentSource, statementClass, dataSource };
    const named = await namedBy(step, ctx.orgId, this.#parts);
    const beforehand = await this.#decide(step, named, ctx);
    const target = this.#parts.tools.target(dataSource);
    const isDescribed = target !== undefined && "dialect" in target;
    // The database is not asked about what the caller may not do: an estimate tells of its data.
    if (!isDescribed || isLate || beforehand.verdict === "deny") {
      return { ...known, ...(named && { touched: named }), decision: beforehand, quote };
    }
    const { touched = named, ...described } = await this.#describe(step, target, ctx);
    const decision = await this.#decide(step, touched, ctx);
    const told = decision.verdict === "deny" ? {} : described;
    return { ...known, ...(touched && { touched }), ...told, decision, quote };
  }

  async #decide(
    step: PreparedStep,
    touched: TouchedData | undefined,
    caller: Caller,
  ): Promise<StatementDecision> {
    const planned = plannedStatement(step, touched);
    return this.#parts.policy.decide(caller, await withCalled(planned, step, caller, this.#parts));
  }

  async #describe(
    { dataSource, statementClass: intent, statement: { sql, binds } }: PreparedStep,
    target: SqlTarget,
    ctx: QueryRuntimeContext,
  ): Promise<Described> {
    const limits = { waitMs: this.#parts.stepWaitMs, timeoutMs: DESCRIBE_MS_MAX };
    try {
      const asked = { sql, intent, parameterCount: binds.length, caller: ctx, ...limits };
      return await target.describe(asked, ctx.signal);
    } catch (error) {
      if (!(error instanceof StatementError) || error.reason === "aborted") throw error;
      const { policy, advisor } = this.#parts;
      const looksAtData = await policy.looksAtData(ctx);
      const failed = { caller: ctx, dataSource, dialect: target.dialect, sql, looksAtData };
      const { message, hints } = (await advisor?.afterFailure(failed, error)) ?? error;
      return { problem: { message, hints } };
    }
  }
}
