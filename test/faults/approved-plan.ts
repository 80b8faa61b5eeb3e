import { randomUUID } from "node:crypto";
import {
  insist,
  planBody,
  STEPS,
  UNCHANGED,
  type Acknowledged,
  type Address,
  type StepResultAnswer,
} from "./plan-driver.js";

/** The steps of the driven plan that wait for an approval. */
export const WRITES: readonly string[] = STEPS.filter(({ write }) => write).map(({ id }) => id);

/** How an organization's approvers permit further writes with a decision, by the annotation that allows it. */
export const GRANTS = {
  wholePlan: '@approval_plan("derived")',
  standing: '@approval_standing("1h")',
} as const;

/** Has every write of an organization's agents wait for an approver. */
export async function putApprovalPolicy(
  url: Address,
  orgId: string,
  annotation = "",
): Promise<void> {
  const headers = { "x-org-id": orgId, "x-user-role": "admin", "x-user-id": "root" };
  const text = `@id("two-eyes") @approval("approver") ${annotation}
    forbid (principal in Steward::Role::"agent", action in Steward::Action::"writes", resource)
    unless { context.approved };`;
  await insist(url, "/api/policies", { text, version: 0 }, headers, "PUT");
}

/**
 * An agent that drives one plan to its end through all failures of the server. Two persons approve the plan as a
 * whole when its first write waits, or let the approval of each write stand for those of later plans.
 */
export async function driveGrantedPlan(
  url: Address,
  orgId: string,
  grant: keyof typeof GRANTS,
): Promise<Acknowledged> {
  const { planId, headers } = await submitted(url, orgId, randomUUID());
  const outputs = new Map<string, string>();
  for (const { id } of STEPS) {
    for (;;) {
      const answer = await askedFor(url, planId, id, headers);
      if ("output" in answer) {
        outputs.set(id, answer.output);
        break;
      }
      if (grant === "standing") await approve(url, orgId, answer, { standing_seconds: 3600 });
      else await approve(url, orgId, await wholePlanOf(url, planId, headers));
    }
  }
  return { planId, outputs, ...UNCHANGED };
}

/** The approval for which a plan waits as a whole. */
async function wholePlanOf(
  url: Address,
  planId: string,
  headers: Readonly<Record<string, string>>,
): Promise<WantedApproval> {
  const path = `/api/approvals?plan_id=${planId}&status=pending`;
  const { data } = (await insist(url, path, undefined, headers, "GET")) as {
    readonly data: { readonly approvals: readonly ListedApproval[] };
  };
  const plan = data.approvals.find(({ subject }) => subject.plan_steps !== undefined);
  if (plan === undefined) throw new Error(`plan ${planId} does not wait as a whole`);
  return { approvalId: plan.approval_id, digest: plan.digest };
}

interface ListedApproval {
  readonly approval_id: string;
  readonly digest: string;
  readonly subject: { readonly plan_steps?: readonly object[] };
}

/** Submits the plan as Alice's agent. @param change of the steps. */
async function submitted(
  url: Address,
  orgId: string,
  key: string,
  change: (steps: PlanSteps) => PlanSteps = (steps) => steps,
): Promise<{ readonly planId: string; readonly headers: Readonly<Record<string, string>> }> {
  const agent = { ...{ "x-org-id": orgId, "x-user-role": "agent" }, "x-agent-id": "bot" };
  const headers = { ...agent, "x-user-id": "alice", "idempotency-key": key };
  const { steps, ...plan } = planBody(key);
  const answer = await insist(url, "/api/plans", { ...plan, steps: change(steps) }, headers);
  return { planId: (answer as { data: { plan_id: string } }).data.plan_id, headers };
}

type PlanSteps = ReturnType<typeof planBody>["steps"];

/**
 * An agent that drives one plan to its end through all failures of the server, and two persons who
 * approve its writes at the same time. The agent revises its second write after that was approved, so that it has to be
 * approved again.
 */
export async function driveApprovedPlan(url: Address, orgId: string): Promise<Acknowledged> {
  const key = randomUUID();
  const update = planBody(key).steps.find(({ id }) => id === "update")?.query_template ?? "";
  const early = { query_template: update.replace("hits + 1", "hits + 100") };
  const { planId, headers } = await submitted(url, orgId, key, (steps) =>
    steps.map((step) => (step.id === "update" ? { ...step, ...early } : step)),
  );
  const outputs = new Map<string, string>();
  const run = async (id: string): Promise<void> => {
    for (;;) {
      const answer = await askedFor(url, planId, id, headers);
      if ("output" in answer) {
        outputs.set(id, answer.output);
        return;
      }
      await approve(url, orgId, answer);
    }
  };
  for (const { id } of STEPS) {
    if (id === "update") {
      const outdated = await askedFor(url, planId, id, headers);
      if ("output" in outdated) throw new Error("a write ran without an approval");
      await approve(url, orgId, outdated);
      const path = `/api/plans/${planId}/steps/update`;
      const revised = { ...headers, "idempotency-key": `revise-${key}` };
      await insist(url, path, { query_template: update }, revised, "PATCH");
      const asked = await askedFor(url, planId, id, headers);
      if ("output" in asked || asked.approvalId === outdated.approvalId) {
        throw new Error("a revised write used the approval of its earlier statement");
      }
    }
    await run(id);
  }
  return { planId, outputs, ...UNCHANGED, changes: ["PlanStepRevised update"] };
}

/** An approval that a step waits for. */
interface WantedApproval {
  readonly approvalId: string;
  readonly digest: string;
}

/** Executes a step. @returns its output, or the approval that it waits for. */
async function askedFor(
  url: Address,
  planId: string,
  stepId: string,
  headers: Readonly<Record<string, string>>,
): Promise<WantedApproval | { readonly output: string }> {
  const path = `/api/plans/${planId}/steps/${stepId}/execute`;
  const answer = await orRefusal(insist(url, path, undefined, headers));
  if (typeof answer !== "string") {
    const { step_result, llm_context_update } = (answer as StepResultAnswer).data;
    if (step_result.status !== "completed") throw new Error(JSON.stringify(step_result));
    return { output: llm_context_update.tool_output_json };
  }
  const approvalId = /"approval_id","reason":"([^"]+)"/.exec(answer)?.[1];
  const digest = /"digest","reason":"([^"]+)"/.exec(answer)?.[1];
  if (approvalId === undefined || digest === undefined) throw new Error(answer);
  return { approvalId, digest };
}

/** Two persons approve at the same time; one of them may be too late. */
async function approve(
  url: Address,
  orgId: string,
  { approvalId, digest }: WantedApproval,
  standing: { readonly standing_seconds?: number } = {},
): Promise<void> {
  const path = `/api/approvals/${approvalId}/approve`;
  const headers = { "x-org-id": orgId, "x-user-role": "approver" };
  // With a number, because previews may be busy while other approvers read theirs.
  const decisions = ["bob", "carol"].map((person) =>
    orRefusal(
      insist(
        url,
        path,
        { digest, rows_changed_max: 1000, ...standing },
        { ...headers, "x-user-id": person },
      ),
    ),
  );
  await Promise.all(decisions);
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
