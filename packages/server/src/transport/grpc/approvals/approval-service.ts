import { type Approval, ApprovalService, type ListApprovalsRequest } from "@steward/protocol/grpc";
import { APPROVAL_STATUSES } from "@steward/protocol/rest";
import type { Clock } from "@steward/kernel/clock.js";
import { invalidField } from "@steward/kernel/errors.js";
import { APPROVALS_PAGE_DEFAULT } from "../../../approvals/limits.js";
import type { ApprovalFilter, ApprovalPageRequest } from "../../../approvals/ports.js";
import type { Orchestrator, QueryRuntimeContext } from "../../../plans/index.js";
import { approvalsOf } from "../../journal.js";
import { approvalMessage } from "./approval-message.js";
import type { MethodRegistry } from "../method-registry.js";

/** Approvals over gRPC, with the operations of `/api/approvals`. */
export function addApprovalService(
  methods: MethodRegistry,
  { orchestrator, clock }: { readonly orchestrator: Orchestrator; readonly clock: Clock },
): void {
  const { method } = ApprovalService;

  methods.unary(method.listApprovals, async (request, ctx) => {
    const [filter, page] = [filterOf(request), pageOf(request)];
    const found = await approvalsOf(orchestrator).listApprovals(filter, page, ctx);
    return {
      $typeName: "controlplane.v1.ListApprovalsResponse" as const,
      approvals: found.approvals.map((approval) => approvalMessage(approval, clock.nowMs())),
      nextCursor: found.nextCursor ?? "",
    };
  });

  methods.unary(method.getApproval, async ({ approvalId }, ctx) => {
    const id = required("approval_id", approvalId);
    const approval = await approvalsOf(orchestrator).getApproval(id, ctx);
    return {
      $typeName: "controlplane.v1.GetApprovalResponse" as const,
      approval: approvalMessage(approval, clock.nowMs()),
    };
  });

  const decide = async (
    decision: "approve" | "deny",
    { approvalId, digest, reason, standingSeconds = 0, optionalRowsChangedMax }: Decision,
    ctx: QueryRuntimeContext,
  ): Promise<Approval> => {
    const id = required("approval_id", approvalId);
    const given = { digest: required("digest", digest), ...(reason === "" ? {} : { reason }) };
    const standing = standingSeconds === 0 ? {} : { standingMs: standingSeconds * 1000 };
    const rows = optionalRowsChangedMax?.value;
    const rowsChangedMax = rows === undefined ? {} : { rowsChangedMax: Number(rows) };
    const choice = { decision, ...given, ...standing, ...rowsChangedMax };
    const decided = await approvalsOf(orchestrator).decideApproval(id, choice, ctx);
    return approvalMessage(decided, clock.nowMs());
  };

  methods.unary(method.grantApproval, async (request, ctx) => ({
    $typeName: "controlplane.v1.GrantApprovalResponse" as const,
    approval: await decide("approve", request, ctx),
  }));

  methods.unary(method.denyApproval, async (request, ctx) => ({
    $typeName: "controlplane.v1.DenyApprovalResponse" as const,
    approval: await decide("deny", request, ctx),
  }));

  methods.unary(method.revokeApproval, async ({ approvalId }, ctx) => {
    const id = required("approval_id", approvalId);
    const revoked = await approvalsOf(orchestrator).revokeApproval(id, ctx);
    return {
      $typeName: "controlplane.v1.RevokeApprovalResponse" as const,
      approval: approvalMessage(revoked, clock.nowMs()),
    };
  });
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
