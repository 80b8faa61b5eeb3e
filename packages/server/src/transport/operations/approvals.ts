import { approvals, type InputOf } from "@steward/operations";
import { APPROVALS_PAGE_DEFAULT } from "../../approvals/limits.js";
import type { QueryRuntimeContext } from "../../plans/index.js";
import { approvalsOf } from "../journal.js";
import { present } from "../../kernel/present.js";
import type { Services } from "../services.js";
import { approvalMessage, approvalPageMessage } from "./approval-message.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations on approvals do. */
export function approvalOperations({
  orchestrator,
  clock,
}: Pick<Services, "orchestrator" | "clock">): readonly Implemented[] {
  const decide = async (
    decision: "approve" | "deny",
    input: InputOf<typeof approvals.grantApproval>,
    context: QueryRuntimeContext,
  ) => {
    const { approval_id, digest, reason, standing_seconds: seconds } = input;
    const standingMs = seconds === undefined ? undefined : seconds * 1000;
    const rowsChangedMax = input.rows_changed_max;
    const choice = { decision, digest, ...present({ reason, standingMs, rowsChangedMax }) };
    const decided = await approvalsOf(orchestrator).decideApproval(approval_id, choice, context);
    return approvalMessage(decided, clock.nowMs());
  };
  return [
    implement(approvals.listApprovals, async ({ input, context }) => {
      const { status, plan_id: planId, standing, limit = APPROVALS_PAGE_DEFAULT, cursor } = input;
      const filter = { ...present({ status, planId }), isStanding: standing === "true" };
      const asked = { limit, ...present({ cursor }) };
      const page = await approvalsOf(orchestrator).listApprovals(filter, asked, context);
      return approvalPageMessage(page, clock.nowMs());
    }),
    implement(approvals.getApproval, async ({ input: { approval_id }, context }) => {
      const approval = await approvalsOf(orchestrator).getApproval(approval_id, context);
      return approvalMessage(approval, clock.nowMs());
    }),
    implement(approvals.grantApproval, async ({ input, context }) =>
      decide("approve", input, context),
    ),
    implement(approvals.denyApproval, async ({ input, context }) => decide("deny", input, context)),
    implement(approvals.revokeApproval, async ({ input: { approval_id }, context }) => {
      const revoked = await approvalsOf(orchestrator).revokeApproval(approval_id, context);
      return approvalMessage(revoked, clock.nowMs());
    }),
  ];
}
