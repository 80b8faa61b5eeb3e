import type {
  AppendStepsRequest,
  ForkPlanRequest,
  OutputPageQuery,
  Plan,
  PlanCheck,
  PlanPage,
  PlanPageQuery,
  PlanRevised,
  PlanState,
  ReviseStepRequest,
  StepDetail,
  StepExecution,
  SubmitPlanRequest,
} from "@steward/protocol/rest";
import { sessionFor } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { PLANS_PAGE_DEFAULT } from "../../../plans/limits.js";
import type { Orchestrator, QueryRuntimeContext } from "../../../plans/index.js";
import { withCorrection } from "../../correction.js";
import { checksOf, journalOf, revisionsOf, stepDetailsOf } from "../../journal.js";
import { planCheckMessage } from "../../plan-check-message.js";
import { asPlanId, asStepId } from "../../plan-ids.js";
import { present } from "../../../kernel/present.js";
import {
  definitionOf,
  planForkOf,
  planMessage,
  planPageMessage,
  planRevisedMessage,
  stepDetailMessage,
  stepExecutionMessage,
  stepRevisionOf,
  stepsToAppendOf,
} from "./plan-messages.js";

/** How a caller corrects a step: the call as this caller makes it. */
export type CorrectingCall = (planId: string, stepId: string) => string;

/**
 * The operations on plans, from checked requests to answers in the fields of REST (Contract §4.2, Decision §9).
 * REST and calls within the process share them.
 */
export class PlanOperations {
  readonly #orchestrator: Orchestrator;
  readonly #correctingCall: CorrectingCall;

  constructor(orchestrator: Orchestrator, correctingCall: CorrectingCall) {
    this.#orchestrator = orchestrator;
    this.#correctingCall = correctingCall;
  }

  async submit(body: SubmitPlanRequest, ctx: QueryRuntimeContext): Promise<PlanState> {
    const sessionId = sessionFor(ctx, body.session_id ?? "");
    const plan = await this.#orchestrator.createPlan(sessionId, definitionOf(body), ctx);
    return { plan_id: plan.planId, status: plan.status };
  }

  async check(body: SubmitPlanRequest, ctx: QueryRuntimeContext): Promise<PlanCheck> {
    const sessionId = sessionFor(ctx, body.session_id ?? "");
    const checks = checksOf(this.#orchestrator);
    return planCheckMessage(await checks.checkPlan(sessionId, definitionOf(body), ctx));
  }

  async list(query: PlanPageQuery, ctx: QueryRuntimeContext): Promise<PlanPage> {
    const { status, session_id: sessionId, text, limit = PLANS_PAGE_DEFAULT, cursor } = query;
    const filter = present({ status, sessionId, text });
    const page = { limit, ...present({ cursor }) };
    return planPageMessage(await journalOf(this.#orchestrator).listPlans(filter, page, ctx));
  }

  async get(plan: string, ctx: QueryRuntimeContext): Promise<Plan> {
    const planId = asPlanId(plan);
    const found = await this.#orchestrator.getPlan(planId, ctx);
    if (found === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${planId}`);
    return planMessage(found);
  }

  async execute(
    plan: string,
    step: string,
    page: OutputPageQuery,
    ctx: QueryRuntimeContext,
  ): Promise<StepExecution> {
    const [planId, stepId] = [asPlanId(plan), asStepId(step)];
    const execution = await this.#orchestrator.executeStep(planId, stepId, ctx);
    const corrected = withCorrection(this.#orchestrator, execution, this.#correctingCall);
    return stepExecutionMessage(corrected, page);
  }

  async getStep(
    plan: string,
    step: string,
    page: OutputPageQuery,
    ctx: QueryRuntimeContext,
  ): Promise<StepDetail> {
    const [planId, stepId] = [asPlanId(plan), asStepId(step)];
    const detail = await stepDetailsOf(this.#orchestrator).getStep(planId, stepId, ctx);
    if (detail === undefined) {
      throw new AppError("STEP_NOT_FOUND", `There is no step ${stepId} of a plan ${planId}`);
    }
    return stepDetailMessage(detail, page);
  }

  async cancel(plan: string, ctx: QueryRuntimeContext): Promise<PlanState> {
    const planId = asPlanId(plan);
    await this.#orchestrator.cancelPlan(planId, ctx);
    return { plan_id: planId, status: "cancelled" };
  }

  async append(
    plan: string,
    body: AppendStepsRequest,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised> {
    const revisions = revisionsOf(this.#orchestrator);
    return planRevisedMessage(
      await revisions.appendSteps(asPlanId(plan), stepsToAppendOf(body), ctx),
    );
  }

  async revise(
    plan: string,
    step: string,
    body: ReviseStepRequest,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRevised> {
    const [planId, stepId] = [asPlanId(plan), asStepId(step)];
    const revisions = revisionsOf(this.#orchestrator);
    return planRevisedMessage(
      await revisions.reviseStep(planId, stepId, stepRevisionOf(body), ctx),
    );
  }

  async fork(plan: string, body: ForkPlanRequest, ctx: QueryRuntimeContext): Promise<PlanRevised> {
    const revisions = revisionsOf(this.#orchestrator);
    return planRevisedMessage(await revisions.forkPlan(asPlanId(plan), planForkOf(body), ctx));
  }

  async finish(plan: string, ctx: QueryRuntimeContext): Promise<PlanState> {
    const planId = asPlanId(plan);
    await revisionsOf(this.#orchestrator).finishPlan(planId, ctx);
    return { plan_id: planId, status: "completed" };
  }

  async retry(plan: string, ctx: QueryRuntimeContext): Promise<PlanState> {
    const { planId, status } = await journalOf(this.#orchestrator).retryPlan(asPlanId(plan), ctx);
    return { plan_id: planId, status };
  }
}
