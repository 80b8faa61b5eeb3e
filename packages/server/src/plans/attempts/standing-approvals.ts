import type { Clock } from "@steward/kernel/clock.js";
import type { Approval } from "../../approvals/index.js";
import { isStanding, type ApprovalIndex } from "../../approvals/ports.js";
import type { StandingGrant } from "../plan-state.js";

/** Dependencies of {@link StandingApprovals}. */
export interface StandingApprovalParts {
  readonly approvals: ApprovalIndex;
  readonly clock: Clock;
}

/** Approvals that stand for later statements of their shape, as steps use them. */
export class StandingApprovals {
  readonly #parts: StandingApprovalParts;

  constructor(parts: StandingApprovalParts) {
    this.#parts = parts;
  }

  /** The approval that stands for a statement that has to wait. @throws AppError `STORE_UNAVAILABLE`. */
  async of(orgId: string, { shapeDigest }: Approval): Promise<StandingGrant | undefined> {
    if (shapeDigest === undefined) return undefined;
    const { approvals, clock } = this.#parts;
    const found = await approvals.standing(orgId, shapeDigest, clock.nowMs());
    if (found?.standingUntilMs === undefined) return undefined;
    const { approvalId, standingUntilMs: untilMs } = found;
    // Whoever approved without letting it stand has decided about that one statement.
    const decisions = found.decisions.filter(({ standingMs }) => standingMs !== undefined);
    return { approvalId, decisions, untilMs };
  }

  /**
   * The approval under which an attempt runs. One that a standing approval has granted counts only
   * while that one is in force, because it may have been revoked since.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  unlessRevoked(
    orgId: string,
    approval: Approval | undefined,
  ): Approval | undefined | Promise<Approval | undefined> {
    if (approval?.underStanding !== true || approval.grantedBy === undefined) return approval;
    const { approvals, clock } = this.#parts;
    return approvals
      .find(orgId, approval.grantedBy)
      .then((standing) =>
        standing !== undefined && isStanding(standing, clock.nowMs()) ? approval : undefined,
      );
  }
}
