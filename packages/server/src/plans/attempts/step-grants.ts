import { type Caller, partyName } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { ExplainedStatementPolicy } from "../../governance/index.js";
import { withWriters } from "../authors.js";
import type { ClaimableStep, IsRevokedKey } from "../ports.js";
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

  /** A step with the decision on what its text names. @throws AppError `POLICY_DENIED`. */
  async grant(claimable: ClaimableStep, asked: AskedStep): Promise<GrantedStep> {
    const { clock, stepWaitMs } = this.#parts;
    const { attempt, tries, step, outputs, deadlineMs } = claimable;
    const { orgId, planId, stepId } = asked.ref;
    const ctx = withWriters(asked.ctx, step);
    await this.#requireKeys(ctx);
    const permission = await this.#decisions.permit(step, ctx);
    const sources = claimable.boundSources;
    const boundSources = sources.length === 0 ? [] : await this.#outputs.permit(ctx, sources);
    const standing = this.#standingApprovals.unlessRevoked(orgId, claimable.approval);
    const approval = standing instanceof Promise ? await standing : standing;
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

  /** @throws AppError `POLICY_DENIED` when the key of a writer has been revoked since. */
  async #requireKeys({ orgId, writers = [] }: Caller): Promise<void> {
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
  async stillGranted(claim: ClaimableStep, asked: AskedStep): Promise<GrantedStep> {
    const { granted, ctx } = asked;
    const current = this.#parts.policy.versionFor(ctx);
    const version = current instanceof Promise ? await current : current;
    const isSame =
      granted?.permission.grant.policyVersion === version && claim.approval === granted.approval;
    return isSame && claim.approval?.underStanding !== true ? granted : this.grant(claim, asked);
  }
}
