import { randomUUID } from "node:crypto";
import {
  insist,
  planBody,
  STEPS,
  type Acknowledged,
  type Address,
  type StepResultAnswer,
} from "./plan-driver.js";

/** The steps of the driven plan that wait for an approval. */
export const WRITES: readonly string[] = STEPS.filter(({ write }) => write).map(({ id }) => id);

const POLICY = `@id("two-eyes") @approval("approver")
  forbid (principal in Steward::Role::"agent", action in Steward::Action::"writes", resource)
  unless { context.approved };`;

/** Has every write of an organization's agents wait for an approver. */
export async function putApprovalPolicy(url: Address, orgId: string): Promise<void> {
  const headers = { "x-org-id": orgId, "x-user-role": "admin", "x-user-id": "root" };
  await insist(url, "/api/policies", { text: POLICY, version: 0 }, headers, "PUT");
}

/**
 * An agent that drives one plan to its end through all failures of the server, and two persons who
 * approve its writes at the same time.
 */
export async function driveApprovedPlan(url: Address, orgId: string): Promise<Acknowledged> {
  const key = randomUUID();
  const agent = { ...{ "x-org-id": orgId, "x-user-role": "agent" }, "x-agent-id": "bot" };
  const headers = { ...agent, "x-user-id": "alice", "idempotency-key": key };
  const submitted = await insist(url, "/api/plans", planBody(key), headers);
  const planId = (submitted as { data: { plan_id: string } }).data.plan_id;
  const outputs = new Map<string, string>();
  for (const { id } of STEPS) {
    for (;;) {
      const path = `/api/plans/${planId}/steps/${id}/execute`;
      const answer = await orRefusal(insist(url, path, undefined, headers));
      if (typeof answer !== "string") {
        const { step_result, llm_context_update } = (answer as StepResultAnswer).data;
        if (step_result.status !== "completed") throw new Error(JSON.stringify(step_result));
        outputs.set(id, llm_context_update.tool_output_json);
        break;
      }
      const approvalId = /"approval_id","reason":"([^"]+)"/.exec(answer)?.[1];
      const digest = /"digest","reason":"([^"]+)"/.exec(answer)?.[1];
      if (approvalId === undefined || digest === undefined) throw new Error(answer);
      await Promise.all(
        ["bob", "carol"].map((person) =>
          orRefusal(
            insist(
              url,
              `/api/approvals/${approvalId}/approve`,
              { digest },
              {
                ...{ "x-org-id": orgId, "x-user-role": "approver", "x-user-id": person },
              },
            ),
          ),
        ),
      );
    }
  }
  return { planId, outputs, failures: 0 };
}

/** The answer, or the text of a refusal with 409. */
async function orRefusal(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (/APPROVAL_REQUIRED|APPROVAL_CONFLICT/.test(message)) return message;
    throw error;
  }
}
