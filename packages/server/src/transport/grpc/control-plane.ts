import { sessionFor } from "@steward/kernel/caller.js";
import { ControlPlaneService } from "@steward/protocol/grpc";
import { AppError } from "@steward/kernel/errors.js";
import type { Orchestrator } from "../../plans/index.js";
import { followEvents } from "../follow-events.js";
import { checksOf, journalOf, revisionsOf } from "../journal.js";
import { withCorrection } from "../correction.js";
import { executionMessage, refusalMessage } from "./execution-message.js";
import {
  appendStepsMessage,
  cancelPlanMessage,
  forkPlanMessage,
  planDefinitionOf,
  planEventMessage,
  planForkOf,
  planPageMessage,
  planStatusMessage,
  finishPlanMessage,
  retryPlanMessage,
  reviseStepMessage,
  stepRevisionOf,
  stepsToAppendOf,
  submitPlanMessage,
} from "./messages.js";
import { checkPlanMessage } from "./plan-check-message.js";
import type { MethodRegistry } from "./method-registry.js";
import {
  cancelReasonOf,
  cursorOf,
  filterOf,
  outputPageOf,
  missingPlan,
  pageOf,
  planIdOf,
  stepIdOf,
} from "./request-fields.js";

/**
 * The service of the contract (§4.1) with the additions of Decision §9. Each method converts the
 * request, makes one call, and converts the result.
 */
export function addControlPlane(methods: MethodRegistry, orchestrator: Orchestrator): void {
  const { method } = ControlPlaneService;

  methods.unary(method.submitPlan, async (request, ctx) => {
    const sessionId = sessionFor(ctx, request.sessionId);
    const definition = planDefinitionOf(request);
    return submitPlanMessage(await orchestrator.createPlan(sessionId, definition, ctx));
  });

  methods.unary(method.getPlanStatus, async (request, ctx) => {
    const planId = planIdOf(request);
    const plan = await orchestrator.getPlan(planId, ctx);
    if (plan === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${planId}`);
    return planStatusMessage(plan);
  });

  methods.unary(method.executeStep, async (request, ctx) => {
    try {
      const [planId, stepId] = [planIdOf(request), stepIdOf(request)];
      const page = outputPageOf(request);
      const execution = await orchestrator.executeStep(planId, stepId, ctx);
      return executionMessage(withCorrection(orchestrator, execution, correctingCall), page);
    } catch (thrown) {
      return refusalMessage(thrown, request);
    }
  });

  methods.unary(method.cancelPlan, async (request, ctx) => {
    const planId = planIdOf(request);
    await orchestrator.cancelPlan(planId, ctx, cancelReasonOf(request));
    return cancelPlanMessage(planId);
  });

  methods.unary(method.listPlans, async (request, ctx) => {
    const journal = journalOf(orchestrator);
    return planPageMessage(await journal.listPlans(filterOf(request), pageOf(request), ctx));
  });

  methods.unary(method.retryPlan, async (request, ctx) => {
    const journal = journalOf(orchestrator);
    return retryPlanMessage(await journal.retryPlan(planIdOf(request), ctx));
  });

  methods.unary(method.appendSteps, async (request, ctx) => {
    const steps = stepsToAppendOf(request);
    return appendStepsMessage(
      await revisionsOf(orchestrator).appendSteps(planIdOf(request), steps, ctx),
    );
  });

  methods.unary(method.reviseStep, async (request, ctx) => {
    const [planId, stepId] = [planIdOf(request), stepIdOf(request)];
    const revision = stepRevisionOf(request);
    return reviseStepMessage(
      await revisionsOf(orchestrator).reviseStep(planId, stepId, revision, ctx),
    );
  });

  methods.unary(method.checkPlan, async ({ plan }, ctx) => {
    if (plan === undefined) throw missingPlan();
    const sessionId = sessionFor(ctx, plan.sessionId);
    const definition = planDefinitionOf(plan);
    return checkPlanMessage(await checksOf(orchestrator).checkPlan(sessionId, definition, ctx));
  });

  methods.unary(method.forkPlan, async (request, ctx) => {
    const fork = planForkOf(request);
    return forkPlanMessage(await revisionsOf(orchestrator).forkPlan(planIdOf(request), fork, ctx));
  });

  methods.unary(method.finishPlan, async (request, ctx) => {
    const planId = planIdOf(request);
    await revisionsOf(orchestrator).finishPlan(planId, ctx);
    return finishPlanMessage(planId);
  });

  methods.serverStream(method.streamPlanEvents, async function* (request, ctx) {
    const journal = journalOf(orchestrator);
    const pages = followEvents(journal, planIdOf(request), cursorOf(request), ctx);
    for await (const page of pages) yield page.map(planEventMessage);
  });
}

/** The call that corrects a step, as a client of gRPC makes it. */
function correctingCall(planId: string, stepId: string): string {
  return (
    `call ReviseStep with plan_id "${planId}", step_id "${stepId}" and a corrected query_template ` +
    "(also intent or depends_on where they were wrong), and call ExecuteStep again"
  );
}
