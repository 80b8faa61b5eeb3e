import {
  approvalChoiceSchema,
  approvalPageQuerySchema,
  approvalPageSchema,
  approvalSchema,
  dataOf,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { Clock } from "@steward/kernel/clock.js";
import { APPROVALS_PAGE_DEFAULT } from "../../../approvals/limits.js";
import type { Orchestrator } from "../../../plans/index.js";
import { approvalMessage, approvalPageMessage } from "../../approvals/approval-message.js";
import { approvalsOf } from "../../journal.js";
import { present } from "../../present.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Approvals"];
const PATH = "/api/approvals";
const params = z.object({ approval_id: z.string().describe("Id of the approval") });

/** The parts of the services that the routes need. */
interface ApprovalParts {
  readonly orchestrator: Orchestrator;
  readonly clock: Clock;
}

/** The approvals that steps wait for (Decision §16). */
export function addApprovalRoutes(app: RestApp, parts: ApprovalParts): void {
  addList(app, parts);
  addGet(app, parts);
  addDecide(app, parts, "approve");
  addDecide(app, parts, "deny");
  addRevoke(app, parts);
}

function addList(app: RestApp, { orchestrator, clock }: ApprovalParts): void {
  const schema = {
    operationId: "listApprovals",
    summary: "List approvals, newest first",
    description:
      "Approvals of your organization, a page at a time. next_cursor leads to the next page.",
    tags,
    querystring: approvalPageQuerySchema,
    response: { 200: json("A page of approvals", dataOf(approvalPageSchema)), ...errors(403, 501) },
  };
  app.get(PATH, { schema }, async ({ query, context }) => {
    const { status, plan_id: planId, standing, cursor } = query;
    const { limit = APPROVALS_PAGE_DEFAULT } = query;
    const page = await approvalsOf(orchestrator).listApprovals(
      { ...present({ status, planId }), isStanding: standing === "true" },
      { limit, ...present({ cursor }) },
      context,
    );
    return { data: approvalPageMessage(page, clock.nowMs()) };
  });
}

function addGet(app: RestApp, { orchestrator, clock }: ApprovalParts): void {
  const schema = {
    operationId: "getApproval",
    summary: "Read an approval",
    description:
      "What exactly would run, whose approval is needed, and who has decided. Those who can decide " +
      "see in preview what a waiting write would change now: it runs and is rolled back.",
    tags,
    params,
    response: { 200: json("The approval", dataOf(approvalSchema)), ...errors(403, 404, 501) },
  };
  app.get(`${PATH}/:approval_id`, { schema }, async ({ params: { approval_id: id }, context }) => {
    const approval = await approvalsOf(orchestrator).getApproval(id, context);
    return { data: approvalMessage(approval, clock.nowMs()) };
  });
}

function addDecide(
  app: RestApp,
  { orchestrator, clock }: ApprovalParts,
  decision: "approve" | "deny",
): void {
  const schema = {
    operationId: decision === "approve" ? "grantApproval" : "denyApproval",
    summary:
      decision === "approve" ? "Approve what a step would run" : "Deny what a step would run",
    description:
      (decision === "approve"
        ? "When enough persons have approved it, the step runs the next time that it is executed. "
        : "The step fails, and its agent is told your reason. ") +
      "The digest says what you have read; when something else would run, the answer is 409. " +
      "You are the caller of the request: neither its requester nor an agent can decide.",
    tags,
    params,
    body: approvalChoiceSchema,
    response: {
      200: json("The approval with your decision", dataOf(approvalSchema)),
      ...errors(403, 404, 409, 501),
    },
  };
  app.post(
    `${PATH}/:approval_id/${decision}`,
    { schema },
    async ({ params: { approval_id: id }, body, context }) => {
      const { digest, reason, standing_seconds: seconds, rows_changed_max: rowsChangedMax } = body;
      const standingMs = seconds === undefined ? undefined : seconds * 1000;
      const choice = { decision, digest, ...present({ reason, standingMs, rowsChangedMax }) };
      const approval = await approvalsOf(orchestrator).decideApproval(id, choice, context);
      return { data: approvalMessage(approval, clock.nowMs()) };
    },
  );
}

function addRevoke(app: RestApp, { orchestrator, clock }: ApprovalParts): void {
  const schema = {
    operationId: "revokeApproval",
    summary: "Revoke a standing approval",
    description:
      "Later statements need approvals of their own again, also those that have been granted one and " +
      "not run yet. You are the caller of the request; an agent cannot revoke.",
    tags,
    params,
    response: {
      200: json("The approval, revoked", dataOf(approvalSchema)),
      ...errors(403, 404, 409, 501),
    },
  };
  app.post(
    `${PATH}/:approval_id/revoke`,
    { schema },
    async ({ params: { approval_id: id }, context }) => {
      const approval = await approvalsOf(orchestrator).revokeApproval(id, context);
      return { data: approvalMessage(approval, clock.nowMs()) };
    },
  );
}
