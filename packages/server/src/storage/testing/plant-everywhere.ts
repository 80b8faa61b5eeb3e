import { randomUUID } from "node:crypto";
import { recordedCaller } from "@steward/kernel/caller.js";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { sampleApproval, SAMPLE_SUBJECT } from "../../approvals/testing/sample-approval.js";
import type { Origin } from "../../kernel/origin.js";
import type { PlanRef } from "../../plans/ports.js";
import type { Store } from "../store.js";
import { claimed, completed, failed, step, toolCall } from "./sample-plans.js";

/** Plants plans in which every text of a caller has the word, and which a user has run. */
export async function plantPlans(store: Store, orgId: string, word: string): Promise<void> {
  const ended = completed({
    toolOutputJson: JSON.stringify([word]),
    schemaAdditions: [{ tableName: word, operation: "NEW", tableDefJson: "{}" }],
    augmentationHints: [word],
  });
  for (const outcome of [ended, failed(word)]) {
    const ref = await submit(store, orgId, word, originOf(`user-${word}`));
    const { attempt } = claimed(await store.plans.claimStep({ ...ref, stepId: "a" }, "owner"));
    const at = { ...ref, stepId: "a", attempt };
    const { caller } = originOf(`user-${word}`);
    const call = { ...toolCall(at), caller, query: word, orgId, sessionId: "else" };
    await store.plans.finishStep(at, outcome, call);
    if (outcome === ended) await store.plans.cancelPlan(ref, word);
  }
}

/**
 * Plants plans without a tool call of the user, who has submitted them, wrote one, and decided about two.
 * @returns that which waits for its approved step, and that which was denied.
 */
export async function plantDecisions(
  store: Store,
  orgId: string,
  userId: string,
): Promise<readonly [running: PlanRef, ended: PlanRef]> {
  const decided = async (decision: "approve" | "deny"): Promise<PlanRef> => {
    const ref = await submit(store, orgId, "plan of others", originOf(userId));
    const approval = sampleApproval({
      approvalId: randomUUID(),
      requester: { kind: "agent", userId: "else" },
      rules: [{ policyId: "two-eyes", role: "approver", approversMin: 1 }],
    });
    const { attempt } = claimed(await store.plans.claimStep({ ...ref, stepId: "a" }, "owner"));
    const waiting = { kind: "awaiting_approval", approval, subject: SAMPLE_SUBJECT } as const;
    await store.plans.finishStep({ ...ref, stepId: "a", attempt }, waiting, undefined);
    await store.plans.decideApproval(
      ref,
      approval.approvalId,
      {
        ...{ decision, digest: approval.digest, reason: "as agreed" },
        by: { kind: "person", userId, roles: ["approver"] },
      },
      originOf(userId),
    );
    return ref;
  };
  const written = await submit(store, orgId, "plan of others", originOf(userId), userId);
  await store.plans.cancelPlan(written, "not needed", originOf(userId));
  return [await decided("approve"), await decided("deny")];
}

function originOf(userId: string): Origin {
  return { caller: recordedCaller({ ...NOBODY, kind: "person", userId }), request: undefined };
}

async function submit(
  store: Store,
  orgId: string,
  word: string,
  origin: Origin,
  author?: string,
): Promise<PlanRef> {
  const ref = { orgId, planId: randomUUID() };
  const first = { ...step("a"), name: word, queryTemplate: word };
  await store.plans.createPlan({
    ...{ ref, origin, sessionId: "else", name: word, description: word },
    steps: [
      author === undefined ? first : { ...first, authors: [author] },
      { ...step("b"), index: 1 },
    ],
    ...{ createdAtMs: 1, deadlineMs: Number.MAX_SAFE_INTEGER },
    idempotency: { key: `${word} ${ref.planId}`, requestHash: "00" },
  });
  return ref;
}
