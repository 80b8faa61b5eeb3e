import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import {
  wholePlanDigest,
  type Approval,
  type CoveredStep,
  type ShownPlanStep,
} from "../../approvals/index.js";
import {
  APPROVAL_PREVIEW_MS_MAX,
  APPROVAL_PREVIEW_WAIT_MS,
  WHOLE_PLAN_DESCRIBED_MS_MAX,
  WHOLE_PLAN_STEPS_MAX,
} from "../../approvals/limits.js";
import {
  ApprovalRequired,
  type ExplainedStatementPolicy,
  type ApprovalRule,
  type NeededApproval,
  type StatementReader,
  type TouchedData,
} from "../../governance/index.js";
import { isMetByPlan, openPlanApproval } from "../approvals/whole-plan.js";
import { withWriters } from "../authors.js";
import type { PlanEngine } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { StepOutcome, StepState, WholePlanRequest } from "../plan-state.js";
import type { PreparedStep } from "../plan.js";
import {
  StatementError,
  type SqlTarget,
  type SqlValue,
  type StepRef,
  type ToolRegistry,
} from "../ports.js";
import { bindOutputs } from "../statements/bind-outputs.js";
import { kindsOf, namedBy, plannedStatement } from "./permit-steps.js";
import { digestOf, shownTables, shownValues, valueSources } from "./step-approval.js";

/** Dependencies of the requests. */
export interface WholePlanParts {
  readonly engine: Pick<PlanEngine, "loadPlan" | "findStep">;
  readonly tools: ToolRegistry;
  readonly access: DataSourceAccess;
  readonly policy: ExplainedStatementPolicy;
  readonly reader: StatementReader;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The end of an attempt that waits for an approval. */
type Awaiting = StepOutcome & { readonly kind: "awaiting_approval" };

/** What the approval of the plan says of one step. */
interface PlanStep {
  readonly shown: ShownPlanStep;
  readonly covered?: CoveredStep;
  readonly rules?: readonly ApprovalRule[];
}

/**
 * Requests the approval of a whole plan when a step of it begins to wait, if policies allow it for this
 * step and for at least one other: an approver then sees all steps, and decides once.
 */
export class WholePlanRequests {
  readonly #parts: WholePlanParts;

  constructor(parts: WholePlanParts) {
    this.#parts = parts;
  }

  /** @returns `undefined` when the step's own approval is all that can be asked for. */
  async of(
    { stepId, ...ref }: StepRef,
    { approval, subject }: Awaiting,
    ctx: QueryRuntimeContext,
  ): Promise<WholePlanRequest | undefined> {
    if (!approval.rules.every((rule) => isMetByPlan(rule, "known"))) return undefined;
    const { state, prepared } = await this.#parts.engine.loadPlan(ref);
    const { clock, ids } = this.#parts;
    if (prepared.length < 2 || prepared.length > WHOLE_PLAN_STEPS_MAX) return undefined;
    if (openPlanApproval(state.steps, clock.nowMs()) !== undefined) return undefined;
    // Whoever has denied the plan as a whole is not asked for it again.
    if (state.steps.some(({ planApproval }) => planApproval?.status === "denied")) return undefined;
    const untilMs = performance.now() + WHOLE_PLAN_DESCRIBED_MS_MAX;
    const steps: PlanStep[] = [];
    for (const step of prepared) {
      const present = state.steps[step.index];
      if (step.id === stepId) steps.push(askingStep(step, { approval, subject }));
      else if (present?.status === "pending") {
        const asked = { ref: { ...ref, stepId: step.id }, step, untilMs };
        steps.push(await this.#pending(asked, withWriters(ctx, step)));
      } else steps.push({ shown: shownOf(step, "free", doneNote(present)) });
    }
    const covers = steps.flatMap(({ covered }) => covered ?? []);
    if (covers.length < 2) return undefined;
    const rules = new Map(
      steps.flatMap((step) => step.rules ?? []).map((rule) => [rule.policyId, rule]),
    );
    const { revision } = state;
    return {
      revision,
      approval: {
        ...planApprovalOf(approval, { approvalId: ids.orderedUuid(), covers }),
        rules: [...rules.values()],
        digest: wholePlanDigest({
          ...{ planId: ref.planId, revision, policyVersion: approval.policyVersion },
          steps: prepared.map((step) => ({
            ...{ stepId: step.id, statement: step.statement.sql, intent: step.intent },
            ...{ dataSource: step.dataSource, dependsOn: step.dependsOn },
            covered: covers.find((each) => each.stepId === step.id)?.digest,
          })),
        }),
      },
      subject: { ...subject, planSteps: steps.map(({ shown }) => shown) },
    };
  }

  async #pending({ ref, step, untilMs }: AskedStep, ctx: QueryRuntimeContext): Promise<PlanStep> {
    const { tools, access } = this.#parts;
    const target = tools.target(step.dataSource);
    if (target === undefined || access.stepRefusal(ctx, step) !== undefined) {
      return { shown: shownOf(step, "separate", "its data source or tool is not open") };
    }
    if (target.named !== undefined) {
      return { shown: shownOf(step, "separate", "a migration is approved by itself") };
    }
    const sql = "dialect" in target ? target : undefined;
    const described = sql && (await this.#described(sql, step, untilMs, ctx));
    const decided = await this.#decided(step, described?.touched, ctx);
    if (decided === "free") return { shown: shownOf(step, "free") };
    if (typeof decided === "string") return { shown: shownOf(step, "separate", decided) };
    const binds = await this.#knownValues(ref, step, sql);
    const values = binds === undefined ? "derived" : "known";
    if (!decided.needed.rules.every((rule) => isMetByPlan(rule, values))) {
      const note =
        "a policy does not allow to approve it with its plan" +
        (values === "derived" ? " before its values are known" : "");
      return { shown: shownOf(step, "separate", note) };
    }
    const { touched } = decided;
    const digest = digestOf({ ref, step, binds, migration: undefined }, decided.needed, touched);
    return {
      shown: {
        ...shownOf(step, "covered"),
        ...(binds === undefined ? {} : { values: shownValues(binds) }),
        ...(touched === undefined ? {} : { tables: shownTables(touched) }),
        ...(described?.estimate === undefined ? {} : { estimatedRows: described.estimate.rows }),
      },
      covered: { stepId: step.id, values, digest },
      rules: decided.needed.rules,
    };
  }

  /** @returns `undefined` when the database does not describe the statement now. */
  async #described(
    target: SqlTarget,
    step: PreparedStep,
    untilMs: number,
    ctx: QueryRuntimeContext,
  ) {
    const timeoutMs = Math.min(APPROVAL_PREVIEW_MS_MAX, untilMs - performance.now());
    if (timeoutMs <= 0) return undefined;
    const { sql, binds } = step.statement;
    const intent = step.statementClass;
    const asked = { sql, parameterCount: binds.length, intent, caller: ctx };
    try {
      return await target.describe(
        { ...asked, waitMs: APPROVAL_PREVIEW_WAIT_MS, timeoutMs },
        ctx.signal,
      );
    } catch (error) {
      if (error instanceof StatementError || error instanceof AppError) return undefined;
      throw error;
    }
  }

  /** @returns `free` when it may run without an approval, or why it cannot be approved beforehand. */
  async #decided(
    step: PreparedStep,
    described: TouchedData | undefined,
    ctx: QueryRuntimeContext,
  ): Promise<
    string | { readonly needed: NeededApproval; readonly touched: TouchedData | undefined }
  > {
    const { policy } = this.#parts;
    const looksAtData = await policy.looksAtData(ctx, kindsOf(step));
    const isSql = (await namedBy(step, ctx.orgId, this.#parts)) !== undefined;
    const touched = isSql ? described : undefined;
    const isUnknown = isSql && touched === undefined;
    if (looksAtData && isUnknown) return UNKNOWN_TABLES;
    const planned = plannedStatement(step, touched);
    // Nobody has asked to run this step, so that a denial is no refusal.
    const { verdict, reason = "" } = await policy.decide(ctx, planned);
    if (verdict === "deny") return reason;
    try {
      await policy.permit(ctx, planned);
      return "free";
    } catch (refusal) {
      if (!(refusal instanceof ApprovalRequired)) throw refusal;
      return isUnknown ? UNKNOWN_TABLES : { needed: refusal.needed, touched };
    }
  }

  /** The values of the statement; `undefined` while steps that they come from have not completed. */
  async #knownValues(
    ref: StepRef,
    { statement }: PreparedStep,
    target: SqlTarget | undefined,
  ): Promise<readonly SqlValue[] | undefined> {
    const stored = await this.#parts.engine.findStep(ref);
    if (stored?.outputs === undefined) return undefined;
    try {
      return bindOutputs(statement, stored.outputs, target?.dialect ?? "json");
    } catch (error) {
      // The step will fail with it when it is executed.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}

const UNKNOWN_TABLES = "the database does not tell yet which tables it touches";

/** A step that has yet to run. */
interface AskedStep {
  readonly ref: StepRef;
  readonly step: PreparedStep;
  /** Until when data sources are asked, in ms as of `performance.now()`. */
  readonly untilMs: number;
}

/** The step whose execution asks for the approval. */
function askingStep(
  step: PreparedStep,
  { approval, subject }: Pick<Awaiting, "approval" | "subject">,
): PlanStep {
  const shown = {
    ...shownOf(step, "covered"),
    values: subject.values,
    ...(subject.tables === undefined ? {} : { tables: subject.tables }),
  };
  if (subject.migration !== undefined) {
    return { shown: shownOf(step, "separate", "a migration is approved by itself") };
  }
  const covered = { stepId: step.id, values: "known", digest: approval.digest } as const;
  return { shown, covered, rules: approval.rules };
}

function planApprovalOf(
  approval: Approval,
  own: Required<Pick<Approval, "approvalId" | "covers">>,
): WholePlanRequest["approval"] {
  const { requester, policyVersion, requestedAtMs, expiresAtMs, rules, digest } = approval;
  const times = { requestedAtMs, expiresAtMs };
  return {
    ...own,
    digest,
    status: "pending",
    rules,
    requester,
    policyVersion,
    ...times,
    decisions: [],
  };
}

function shownOf(
  step: PreparedStep,
  approval: ShownPlanStep["approval"],
  note?: string,
): ShownPlanStep {
  const { id: stepId, dataSource, intent, statement } = step;
  return {
    ...{ stepId, dataSource, intent, statement: statement.sql, approval },
    values: { from: valueSources(step).map(({ from }) => from) },
    ...(note === undefined ? {} : { note }),
  };
}

function doneNote(step: StepState | undefined): string {
  return `it is ${step?.status ?? "unknown"}`;
}
