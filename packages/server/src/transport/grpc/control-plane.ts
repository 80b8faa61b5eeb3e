import { sessionFor } from "@steward/kernel/caller.js";
import { ControlPlaneService } from "@steward/protocol/grpc";
import type { Orchestrator } from "../../plans/index.js";
import { withCorrection } from "../correction.js";
import { followEvents } from "../follow-events.js";
import { checksOf, journalOf } from "../journal.js";
import { executionMessage, refusalMessage } from "./execution-message.js";
import {
  cancelPlanMessage,
  planDefinitionOf,
  planEventMessage,
  submitPlanMessage,
} from "./messages.js";
import type { MethodRegistry } from "./method-registry.js";
import { checkPlanMessage } from "./plan-check-message.js";
import {
  cancelReasonOf,
  cursorOf,
  missingPlan,
  outputPageOf,
  planIdOf,
  stepIdOf,
} from "./request-fields.js";

/**
 * The methods of the contract (§4.1) and of Decision §9 that are written by hand. Each one converts the request, makes
 * one call, and converts the result.
 */
export function addControlPlane(methods: MethodRegistry, orchestrator: Orchestrator): void {
  const { method } = ControlPlaneService;

  methods.unary(method.submitPlan, async (request, ctx) => {
    const sessionId = sessionFor(ctx, request.sessionId);
    const definition = planDefinitionOf(request);
    return submitPlanMessage(await orchestrator.createPlan(sessionId, definition, ctx));
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

  methods.unary(method.checkPlan, async ({ plan }, ctx) => {
    if (plan === undefined) throw missingPlan();
    const sessionId = sessionFor(ctx, plan.sessionId);
    const definition = planDefinitionOf(plan);
    return checkPlanMessage(await checksOf(orchestrator).checkPlan(sessionId, definition, ctx));
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
