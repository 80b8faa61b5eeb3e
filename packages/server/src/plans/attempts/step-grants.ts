import { type Caller, partyName } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import { AppError } from "@steward/kernel/errors.js";
import type { ExplainedStatementPolicy } from "../../governance/index.js";
import { withWriters } from "../authors.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { ClaimableStep, IsRevokedKey, StepRef } from "../ports.js";
import type { GrantedStep } from "./attempt-runner.js";
import type { StandingApprovals } from "./standing-approvals.js";
import type { StepDecisions } from "./step-decisions.js";
import type { AskedStep } from "./step-gate.js";
import type { StoredOutputs } from "./stored-outputs.js";
import { type OperatorTimeLimits, timeLimitOf } from "./time-limit.js";

/** Dependencies and settings of the grants of steps. */
interface StepGrantsParts extends OperatorTimeLimits {
  readonly clock: Clock;
  readonly policy: ExplainedStatementPolicy;
  readonly isRevoked: IsRevokedKey;
  /** How long a step may wait for its turn at its data source, in ms. */
  readonly stepWaitMs: number;
}

/** Grants steps to their callers, as far as their text tells, with the time that they may take. */
export class StepGrants {
  readonly #parts: StepGrantsParts;
  readonly #decisions: StepDecisions;
  readonly #outputs: StoredOutputs;
  readonly #standingApprovals: StandingApprovals;

  constructor(
    parts: StepGrantsParts,
    asked: {
      readonly decisions: StepDecisions;
      readonly outputs: StoredOutputs;
      readonly standingApprovals: StandingApprovals;
    },
  ) {
    this.#parts = parts;
    this.#decisions = asked.decisions;
    this.#outputs = asked.outputs;
    this.#standingApprovals = asked.standingApprovals;
  }

  /**
   * A step with the decision on what its text names; at once when nothing has to be read for it. A refusal
   * rejects with an AppError `POLICY_DENIED`.
   */
  grant(claimable: ClaimableStep, asked: AskedStep): GrantedStep | Promise<GrantedStep> {
    const ctx = withWriters(asked.ctx, claimable.step);
    return ctx.writers === undefined
      ? this.#grant(claimable, asked.ref, ctx)
      : this.#requireKeysOfWriters(ctx).then(() => this.#grant(claimable, asked.ref, ctx));
  }

  #grant(
    claimable: ClaimableStep,
    ref: StepRef,
    ctx: QueryRuntimeContext,
  ): GrantedStep | Promise<GrantedStep> {
    const { step, boundSources: sources } = claimable;
    return whenKnown(this.#decisions.permit(step, ctx), (permission) =>
      whenKnown(this.#outputs.permit(ctx, sources), (boundSources) =>
        whenKnown(
          this.#standingApprovals.unlessRevoked(ctx.orgId, claimable.approval),
          (approval) => this.#granted(claimable, ref, { ctx, permission, boundSources, approval }),
        ),
      ),
    );
  }

  #granted(
    { attempt, tries, step, outputs, deadlineMs }: ClaimableStep,
    { orgId, planId, stepId }: StepRef,
    {
      ctx,
      permission,
      boundSources,
      approval,
    }: Pick<GrantedStep, "ctx" | "permission" | "boundSources" | "approval">,
  ): GrantedStep {
    const { clock, stepWaitMs } = this.#parts;
    const leftMs = Math.max(deadlineMs - clock.nowMs(), 1);
    return {
      ref: { orgId, planId, stepId, attempt },
      ctx,
      tries,
      step,
      binds: this.#decisions.bindsOf(step, outputs),
      boundSources,
      approval,
      permission,
      waitMs: Math.min(stepWaitMs, leftMs),
      timeLimit: timeLimitOf(step, this.#parts, leftMs),
    };
  }

  /**
   * @throws AppError `POLICY_DENIED` when the key of the caller or of a writer has been revoked since.
   */
  async requireKeys(caller: Caller): Promise<void> {
    const { orgId, keyId } = caller;
    if (keyId !== undefined && (await this.#parts.isRevoked(orgId, keyId))) {
      throw new AppError(
        "POLICY_DENIED",
        "The API key with which the step was executed was revoked: execute the step with another one",
      );
    }
    await this.#requireKeysOfWriters(caller);
  }

  async #requireKeysOfWriters({ orgId, writers = [] }: Caller): Promise<void> {
    for (const writer of writers) {
      const { keyId } = writer;
      if (keyId === undefined || !(await this.#parts.isRevoked(orgId, keyId))) continue;
      throw new AppError(
        "POLICY_DENIED",
        `${partyName(writer)} wrote this statement with an API key that was revoked: submit the statement in a plan of your own`,
      );
    }
  }

  /** Decides again when policies, or an approval that stands, may have changed since the question. */
  stillGranted(claim: ClaimableStep, asked: AskedStep): GrantedStep | Promise<GrantedStep> {
    const { granted, ctx } = asked;
    return whenKnown(this.#parts.policy.versionFor(ctx), (version) => {
      const isSame =
        granted?.permission.grant.policyVersion === version && claim.approval === granted.approval;
      return isSame && claim.approval?.underStanding !== true ? granted : this.grant(claim, asked);
    });
  }
}
