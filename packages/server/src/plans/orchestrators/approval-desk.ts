import { isOwn, partyName, type Caller } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { originOf } from "../../kernel/origin.js";
import { isUuid } from "@steward/kernel/ids.js";
import {
  approverOf,
  decideApproval,
  OPERATION_PLAN_ID,
  type OperationApprovals,
  partyOf,
  shownStatus,
  whyNotApprover,
  whyNotRevoker,
  type WantedDecision,
} from "../../approvals/index.js";
import { APPROVAL_REASON_BYTES_MAX, APPROVALS_PAGE_MAX } from "../../approvals/limits.js";
import {
  isStanding,
  type ApprovalFilter,
  type ApprovalIndex,
  type ApprovalPage,
  type ApprovalPageRequest,
  type StoredApproval,
} from "../../approvals/ports.js";
import type { PlanEngine } from "../engine/index.js";
import type {
  ApprovalChoice,
  ApprovalView,
  PlanApprovals,
  QueryRuntimeContext,
} from "../orchestrator.js";
import { ApprovalPreviews, type ApprovalPreviewParts } from "./approval-previews.js";
import type { VisiblePlans } from "./visible-plans.js";
import { withShownValues } from "./shown-values.js";
import type { ExplainedStatementPolicy } from "../../governance/index.js";

/** Dependencies of the desk. */
export interface ApprovalDeskParts extends ApprovalPreviewParts {
  readonly engine: Pick<PlanEngine, "decideApproval" | "findStep" | "loadPlan" | "sourcesIn">;
  readonly approvals: ApprovalIndex;
  /** Absent: only the statements of plans are approved. */
  readonly operations?: OperationApprovals | undefined;
  readonly policy: ExplainedStatementPolicy;
  readonly visible: VisiblePlans;
  /** Whether the caller has the right to an action, alone or with an approval. */
  readonly mayDo: (caller: Caller, action: string) => Promise<boolean>;
}

/** Where persons find the approvals that plans wait for, and decide about them. */
export class ApprovalDesk implements PlanApprovals {
  readonly #parts: ApprovalDeskParts;
  readonly #previews: ApprovalPreviews;

  constructor(parts: ApprovalDeskParts) {
    this.#parts = parts;
    this.#previews = new ApprovalPreviews(parts);
  }

  async listApprovals(
    filter: ApprovalFilter,
    page: ApprovalPageRequest,
    ctx: QueryRuntimeContext,
  ): Promise<ApprovalPage> {
    if (page.limit < 1 || page.limit > APPROVALS_PAGE_MAX) {
      throw invalidField("limit", `is 1 to ${String(APPROVALS_PAGE_MAX)}`);
    }
    if (page.cursor !== undefined && !isUuid(page.cursor)) {
      throw invalidField("cursor", "it is not the next_cursor of an earlier page");
    }
    if (filter.planId !== undefined && !isUuid(filter.planId)) return { approvals: [] };
    const { approvals, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const found = await approvals.list(ctx.orgId, filter, page, nowMs);
    const shown = await Promise.all(found.approvals.map((approval) => this.#shown(approval, ctx)));
    const isAsked = (approval: StoredApproval): boolean =>
      filter.status === undefined || shownStatus(approval, nowMs) === filter.status;
    return { ...found, approvals: shown.flatMap((one) => (one && isAsked(one) ? [one] : [])) };
  }

  async getApproval(approvalId: string, ctx: QueryRuntimeContext): Promise<ApprovalView> {
    const found = await this.#find(approvalId, ctx);
    if (found.planId === OPERATION_PLAN_ID) return found;
    return { ...found, preview: await this.#previews.of(found, ctx) };
  }

  async decideApproval(
    approvalId: string,
    { decision, digest, reason, standingMs, ...choice }: ApprovalChoice,
    ctx: QueryRuntimeContext,
  ): Promise<StoredApproval> {
    if (reason !== undefined && Buffer.byteLength(reason) > APPROVAL_REASON_BYTES_MAX) {
      throw invalidField("reason", `has ${String(APPROVAL_REASON_BYTES_MAX)} bytes at most`);
    }
    const { engine, clock, policy } = this.#parts;
    const found = await this.#find(approvalId, ctx);
    const by = approverOf(ctx);
    const asked = { decision, digest: digest.toLowerCase(), reason, standingMs, by };
    // The index may lag behind, but is enough to refuse with a reason; the plan's log decides.
    const early = decideApproval(found, asked, clock.nowMs());
    if (early.kind === "refused") throw new AppError(early.code, early.message);
    if (found.planId === OPERATION_PLAN_ID) {
      await this.#parts.operations?.decide(ctx, found, asked);
      return this.#find(approvalId, ctx);
    }
    const rowsChangedMax =
      decision === "deny"
        ? undefined
        : (choice.rowsChangedMax ?? (await this.#previews.rowsShown(found, ctx)));
    const wanted: WantedDecision = { ...asked, rowsChangedMax };
    const { orgId, planId } = found;
    const origin = originOf(ctx, await policy.versionFor(ctx));
    await engine.decideApproval({ orgId, planId }, found.approvalId, wanted, origin);
    return this.#find(approvalId, ctx);
  }

  async revokeApproval(approvalId: string, ctx: QueryRuntimeContext): Promise<StoredApproval> {
    const found = await this.#find(approvalId, ctx);
    const refusal = whyNotRevoker(approverOf(ctx));
    if (refusal !== undefined) throw new AppError("POLICY_DENIED", refusal);
    if (found.revoked !== undefined) return found;
    const { clock, approvals } = this.#parts;
    const atMs = clock.nowMs();
    if (!isStanding(found, atMs)) {
      throw new AppError(
        "APPROVAL_CONFLICT",
        `Approval ${found.approvalId} does not stand for later statements, so there is nothing to revoke`,
      );
    }
    const revoked = { by: partyName(partyOf(ctx)), atMs };
    await approvals.revoke(found.orgId, found.approvalId, revoked, ctx.operation);
    return this.#find(approvalId, ctx);
  }

  async #find(approvalId: string, ctx: QueryRuntimeContext): Promise<StoredApproval> {
    const found = await this.#parts.approvals.find(ctx.orgId, approvalId.toLowerCase());
    const shown = found && (await this.#shown(found, ctx));
    if (shown === undefined) {
      throw new AppError("NOT_FOUND", `There is no approval ${approvalId}`);
    }
    return shown;
  }

  /** An approval as the caller sees it; `undefined` when the caller does not see it. */
  async #shown(
    approval: StoredApproval,
    ctx: QueryRuntimeContext,
  ): Promise<StoredApproval | undefined> {
    if (approval.planId === OPERATION_PLAN_ID) {
      return (await this.#seesOperation(approval, ctx)) ? this.#ofNow(approval, ctx) : undefined;
    }
    const isVisible = await this.#parts.visible.isVisible(approval, ctx);
    return isVisible ? withShownValues(approval, ctx, this.#parts) : undefined;
  }

  /**
   * The parameters of an operation are seen by its requester, by those who can decide about it, and by those who
   * have the right to the operation themselves.
   */
  async #seesOperation(approval: StoredApproval, ctx: QueryRuntimeContext): Promise<boolean> {
    if (isOwn(ctx, approval.requester)) return true;
    if (whyNotApprover(approval, approverOf(ctx)) === undefined) return true;
    for (const action of approval.subject.intent.split(" ")) {
      if (!(await this.#parts.mayDo(ctx, action))) return false;
    }
    return true;
  }

  /** Changed policies end the approval of an operation, which is bound to the former ones. */
  async #ofNow(approval: StoredApproval, ctx: QueryRuntimeContext): Promise<StoredApproval> {
    const { status, policyVersion } = approval;
    if (status !== "pending" && status !== "approved") return approval;
    const isOfNow = policyVersion === (await this.#parts.policy.versionFor(ctx));
    return isOfNow ? approval : { ...approval, status: "void" };
  }
}
