import { ApprovalService, type ListApprovalsRequest } from "@steward/protocol/grpc";
import { APPROVAL_STATUSES, type Approval } from "@steward/operations";
import type { Clock } from "@steward/kernel/clock.js";
import { invalidField } from "@steward/kernel/errors.js";
import { APPROVALS_PAGE_DEFAULT } from "../../../approvals/limits.js";
import type { ApprovalFilter, ApprovalPageRequest } from "../../../approvals/ports.js";
import type { ApprovalView, Orchestrator, QueryRuntimeContext } from "../../../plans/index.js";
import { approvalsOf } from "../../journal.js";
import { approvalMessage, approvalPageMessage } from "../../operations/approval-message.js";
import { answerOf } from "../../operations/wires/proto-answers.js";
import type { MethodRegistry } from "../method-registry.js";

/**
 * Approvals over gRPC, with the operations of `/api/approvals`. They are not derived, because their messages are not
 * those of REST: a preview has its rows as JSON texts, and a denial has neither a duration nor a number of rows.
 */
export function addApprovalService(
  methods: MethodRegistry,
  { orchestrator, clock }: { readonly orchestrator: Orchestrator; readonly clock: Clock },
): void {
  const { method } = ApprovalService;
  const messageOf = (view: ApprovalView): object =>
    withJsonRows(approvalMessage(view, clock.nowMs()));

  methods.unary(method.listApprovals, async (request, ctx) => {
    const [filter, page] = [filterOf(request), pageOf(request)];
    const found = await approvalsOf(orchestrator).listApprovals(filter, page, ctx);
    // Only an approval that is read alone has a preview.
    const answer = approvalPageMessage(found, clock.nowMs());
    return answerOf(method.listApprovals.output, answer, undefined, ctx);
  });

  methods.unary(method.getApproval, async ({ approvalId }, ctx) => {
    const id = required("approval_id", approvalId);
    const found = await approvalsOf(orchestrator).getApproval(id, ctx);
    return answerOf(method.getApproval.output, messageOf(found), "approval", ctx);
  });

  const decide = async (
    decision: "approve" | "deny",
    { approvalId, digest, reason, standingSeconds = 0, optionalRowsChangedMax }: Decision,
    ctx: QueryRuntimeContext,
  ): Promise<object> => {
    const id = required("approval_id", approvalId);
    const given = { digest: required("digest", digest), ...(reason === "" ? {} : { reason }) };
    const standing = standingSeconds === 0 ? {} : { standingMs: standingSeconds * 1000 };
    const rows = optionalRowsChangedMax?.value;
    const rowsChangedMax = rows === undefined ? {} : { rowsChangedMax: Number(rows) };
    const choice = { decision, ...given, ...standing, ...rowsChangedMax };
    return messageOf(await approvalsOf(orchestrator).decideApproval(id, choice, ctx));
  };

  methods.unary(method.grantApproval, async (request, ctx) =>
    answerOf(method.grantApproval.output, await decide("approve", request, ctx), "approval", ctx),
  );

  methods.unary(method.denyApproval, async (request, ctx) =>
    answerOf(method.denyApproval.output, await decide("deny", request, ctx), "approval", ctx),
  );

  methods.unary(method.revokeApproval, async ({ approvalId }, ctx) => {
    const id = required("approval_id", approvalId);
    const revoked = await approvalsOf(orchestrator).revokeApproval(id, ctx);
    return answerOf(method.revokeApproval.output, messageOf(revoked), "approval", ctx);
  });
}

/** An approval whose preview has its rows as JSON texts, and the planner's estimate in a message of its own. */
function withJsonRows({ preview, ...approval }: Approval): object {
  if (preview === undefined) return approval;
  const { changes = [], estimated_rows: rows, estimated_cost: cost, ...rest } = preview;
  return {
    ...approval,
    preview: {
      ...rest,
      changes: changes.map(({ table, before, after }) => ({
        table,
        ...(before && { before_json: JSON.stringify(before) }),
        ...(after && { after_json: JSON.stringify(after) }),
      })),
      ...(rows !== undefined && cost !== undefined && { estimate: { rows, cost } }),
    },
  };
}

/** The fields of a request to approve or to deny. */
interface Decision {
  readonly approvalId: string;
  readonly digest: string;
  readonly reason: string;
  readonly standingSeconds?: number;
  readonly optionalRowsChangedMax?: { readonly value?: bigint | undefined };
}

/** @throws AppError `INVALID_ARGUMENT` for a status that is none. */
function filterOf({ status, planId, standing }: ListApprovalsRequest): ApprovalFilter {
  const known = APPROVAL_STATUSES.find((each) => each === status);
  if (status !== "" && known === undefined) {
    throw invalidField("status", `it is not one of ${APPROVAL_STATUSES.join(", ")}`);
  }
  return {
    ...(known === undefined ? {} : { status: known }),
    ...(planId === "" ? {} : { planId }),
    ...(standing ? { isStanding: true } : {}),
  };
}

function pageOf({ limit, cursor }: ListApprovalsRequest): ApprovalPageRequest {
  return {
    limit: limit === 0 ? APPROVALS_PAGE_DEFAULT : limit,
    ...(cursor === "" ? {} : { cursor }),
  };
}

/** @throws AppError `INVALID_ARGUMENT` for an empty field. */
function required(field: string, value: string): string {
  if (value === "") throw invalidField(field, "it is missing");
  return value;
}
