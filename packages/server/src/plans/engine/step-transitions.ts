import { assert } from "@steward/kernel/assert.js";
import type { Origin } from "../../kernel/origin.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { isReadIntent } from "../../governance/index.js";
import { executionOf, outputOf } from "../execution.js";
import type { StepOutcome, StepState } from "../plan-state.js";
import type { PreparedStep } from "../plan.js";
import type {
  AttemptRef,
  AwaitedApproval,
  ClaimableStep,
  ClaimRequest,
  ClaimResult,
  FinishResult,
  StepRef,
} from "../ports.js";
import { claimStep, finishStep, requestApproval } from "../transitions.js";
import type { Claim, Claims } from "./claims.js";
import type { OpenPlan } from "./open-plan.js";
import type { OpenPlans } from "./open-plans.js";
import type { Ownership } from "./ownership.js";
import type { EngineNode, PlanHandover, PlanLog } from "./plan-log.js";
import { attemptEnd, type PlanWriter } from "./plan-writer.js";
import { boundSources, outputsFor, outputSources, storedExecution } from "./step-results.js";

/** How an attempt ended, and who asked for it. */
interface FinishedAttempt {
  readonly outcome: StepOutcome;
  readonly toolCall: ToolCallRecord | undefined;
  readonly origin: Origin | undefined;
}

/** The answer to the question whether a step may be claimed, and what it was asked about. */
interface AskedClaim {
  readonly version: string;
  readonly claimable: ClaimableStep;
  readonly awaited: AwaitedApproval | undefined;
}

/** Differs when a claim of the step would run something else, or under another approval. */
function versionOf({ attempt, approval }: StepState, { revision = 1 }: PreparedStep): string {
  const { approvalId = "", status = "" } = approval ?? {};
  return `${String(attempt)} ${String(revision)} ${approvalId} ${status}`;
}

/** One literal, because it is made for each step. @param deadlineMs may have changed since the step was asked about. */
function claimedStep(claimable: ClaimableStep, deadlineMs: number): ClaimResult {
  const { attempt, tries, step, sessionId, outputs, boundSources, approval } = claimable;
  return {
    kind: "claimed",
    attempt,
    tries,
    step,
    sessionId,
    deadlineMs,
    outputs,
    boundSources,
    approval,
  };
}

/** Dependencies of {@link StepTransitions}. */
export interface StepTransitionParts {
  readonly log: PlanLog;
  readonly node: EngineNode;
  readonly handover: PlanHandover;
  readonly plans: OpenPlans;
  readonly ownership: Ownership;
  readonly claims: Claims;
  readonly writer: PlanWriter;
}

/** The transitions of single steps: their claims, and the ends of their attempts. */
export class StepTransitions {
  readonly #log: PlanLog;
  readonly #node: EngineNode;
  readonly #handover: PlanHandover;
  readonly #plans: OpenPlans;
  readonly #ownership: Ownership;
  readonly #claims: Claims;
  readonly #writer: PlanWriter;

  constructor(parts: StepTransitionParts) {
    this.#log = parts.log;
    this.#node = parts.node;
    this.#handover = parts.handover;
    this.#plans = parts.plans;
    this.#ownership = parts.ownership;
    this.#claims = parts.claims;
    this.#writer = parts.writer;
  }

  /**
   * Claims a step. The claim of a read stays in memory if this node owns the plan and no approval is used;
   * every other claim is written first.
   */
  async claimStep(
    ref: StepRef,
    owner: string,
    { origin, outdatedApproval, admit }: ClaimRequest,
  ): Promise<ClaimResult> {
    let asked: AskedClaim | undefined;
    for (;;) {
      const current = this.#plans.current(ref);
      const access = current instanceof Promise ? await current : current;
      if (access.kind === "owned elsewhere") {
        await this.#handover.request(access.nodeId, ref);
        return { kind: "running" };
      }
      const { plan } = access;
      const prepared = plan.step(ref.stepId);
      // An end is never reported before it is durable. From here to the decision nothing else may
      // happen.
      const ending = plan.ends.of([ref.stepId, ...(prepared?.dependsOn ?? [])]);
      if (ending !== undefined) {
        await ending;
        continue;
      }
      if (plan.broken) continue;
      const nowMs = this.#node.nowMs();
      const decision = claimStep(plan.state, ref.stepId, owner, nowMs, outdatedApproval);
      if (decision.kind === "running" || decision.kind === "refused") return decision;
      if (decision.kind === "finished") {
        assert(prepared !== undefined, "a step that has finished is a step of the plan");
        return {
          kind: "finished",
          sources: outputSources(this.#log, ref.orgId, prepared, plan),
          execution: await storedExecution(this.#log, plan, decision.step),
        };
      }
      assert(prepared !== undefined, "a step that was claimed is a step of the plan");
      const { orgId, planId, stepId } = ref;
      const attempt = { orgId, planId, stepId, attempt: decision.step.attempt };
      const { approval } = decision.step;
      const isApproved = approval?.usedBy === attempt.attempt;
      const claimable = (outputs: ClaimableStep["outputs"]): ClaimableStep => ({
        attempt: attempt.attempt,
        tries: attempt.attempt - (decision.step.uncounted ?? 0),
        step: prepared,
        sessionId: plan.sessionId,
        deadlineMs: plan.state.deadlineMs,
        outputs,
        boundSources: boundSources(this.#log, ref.orgId, prepared.statement, plan),
        approval: isApproved ? approval : undefined,
      });
      const version = versionOf(decision.step, prepared);
      if (admit !== undefined && asked?.version !== version) {
        const outputs = outputsFor(this.#log, plan, prepared);
        const claimed = claimable(outputs instanceof Promise ? await outputs : outputs);
        const admitted = admit(claimed);
        const awaited = admitted instanceof Promise ? await admitted : admitted;
        asked = { version, claimable: claimed, awaited };
        // Anything may have happened meanwhile, so it is decided again.
        if (outputs instanceof Promise || admitted instanceof Promise) continue;
      }
      if (asked?.awaited !== undefined) {
        const change = requestApproval(plan.state, ref.stepId, asked.awaited, nowMs);
        if (change === undefined) continue;
        this.#ownIfUndisputed(plan);
        const { policyVersion } = asked.awaited.approval;
        plan.change(change, origin && { ...origin, policyVersion });
        if (await this.#writer.tryWrite(plan)) return { kind: "awaiting" };
        continue;
      }
      const isInMemory = !isApproved && isReadIntent(prepared.intent) && this.#plans.isOwned(plan);
      if (!isInMemory) this.#ownIfUndisputed(plan);
      plan.change(decision.change(), origin);
      if (isInMemory) this.#claimInMemory(plan, attempt, owner);
      else if (!(await this.#tryClaim(plan, attempt, owner))) continue;
      const claimed = asked?.claimable ?? claimable(await outputsFor(this.#log, plan, prepared));
      return claimedStep(claimed, plan.state.deadlineMs);
    }
  }

  async renewLease(attempt: AttemptRef, owner: string): Promise<boolean> {
    const claim = this.#claims.find(attempt);
    if (claim?.owner !== owner || claim.attempt.attempt !== attempt.attempt) return false;
    const access = await this.#plans.current(attempt);
    const step = access.kind === "open" ? access.plan.step(attempt.stepId) : undefined;
    return step !== undefined && this.#log.renewLease(attempt, step.index, owner);
  }

  /** Ends an attempt. When the end may not have been written, {@link Claims} remembers the attempt. */
  async finishStep(
    attempt: AttemptRef,
    outcome: StepOutcome,
    toolCall: ToolCallRecord | undefined,
    origin?: Origin,
  ): Promise<FinishResult> {
    const found = this.#claims.find(attempt);
    const claim = found?.attempt.attempt === attempt.attempt ? found : undefined;
    try {
      const result = await this.#finish(attempt, claim, { outcome, toolCall, origin });
      this.#claims.markSettled(attempt);
      return result;
    } catch (error) {
      // It is unknown whether the end was written; the attempt is settled as soon as the log can be
      // reached.
      this.#claims.markUnsettled(attempt);
      throw error;
    } finally {
      if (claim !== undefined) this.#claims.remove(attempt);
    }
  }

  async #finish(
    attempt: AttemptRef,
    claim: Claim | undefined,
    { outcome, toolCall, origin }: FinishedAttempt,
  ): Promise<FinishResult> {
    for (;;) {
      const acquired = this.#ownership.acquired(attempt);
      const plan = acquired instanceof Promise ? await acquired : acquired;
      const running = plan.state.steps.find((step) => step.stepId === attempt.stepId);
      const change =
        claim === undefined || running?.owner === claim.owner
          ? finishStep(plan.state, attempt.stepId, attempt.attempt, outcome, this.#node.nowMs())
          : undefined;
      if (change === undefined) {
        claim?.settle();
        // The marker of the attempt may be deleted after this, so the end must be durable first.
        await plan.settled();
        if (plan.broken) continue;
        return { kind: "fenced" };
      }
      plan.change(change, origin);
      const step = change.steps.find((candidate) => candidate.stepId === attempt.stepId);
      assert(step !== undefined, "ending an attempt changes its step");
      const context = "context" in outcome ? outcome.context : undefined;
      const written = this.#writer.tryWrite(plan, attemptEnd(plan, step, context, toolCall));
      claim?.settle();
      if (!(await written)) continue;
      if (context !== undefined) plan.outputs.keep(step.stepId, outputOf(context));
      const execution = executionOf(attempt.planId, step, context, plan.step(step.stepId));
      return execution === undefined
        ? { kind: "pending" }
        : { kind: "ended", execution: { replayed: false, ...execution } };
    }
  }

  /**
   * Keeps the claim of a read in memory, and announces to the log that its end will follow soon.
   */
  #claimInMemory(plan: OpenPlan, attempt: AttemptRef, owner: string): void {
    this.#claims.add(attempt, owner, {
      write: () => this.#writer.tryWrite(plan),
      done: this.#log.announce(),
    });
  }

  /** Writes a claim. @returns false when another node was faster. */
  async #tryClaim(plan: OpenPlan, attempt: AttemptRef, owner: string): Promise<boolean> {
    this.#claims.add(attempt, owner);
    let isWritten = false;
    try {
      isWritten = await this.#writer.tryWrite(plan);
    } catch (error) {
      this.#claims.markUnsettled(attempt);
      throw error;
    } finally {
      if (!isWritten) this.#claims.remove(attempt);
    }
    return isWritten;
  }

  /**
   * This node becomes the owner of a plan without an owner if no other node has changed the plan
   * since.
   */
  #ownIfUndisputed(plan: OpenPlan): void {
    const { hasLease, nodeId } = this.#node;
    if (plan.owner !== undefined || !hasLease || this.#plans.isReleasing(plan.ref)) return;
    if (plan.isLatestWriter) plan.own(nodeId);
  }
}
