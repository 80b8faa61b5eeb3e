import { swept } from "../../plans/engine/testing/swept.js";
import { expect, it } from "vitest";
import { uuidV7 } from "@steward/kernel/ids.js";
import type { Approval } from "../../approvals/index.js";
import { sampleApproval, SAMPLE_SUBJECT } from "../../approvals/testing/sample-approval.js";
import type { AttemptRef, PlanRef } from "../../plans/ports.js";
import type { WholePlanRequest } from "../../plans/transitions.js";
import type { PlanBattery } from "./plan-store-battery.js";
import { ORG, OTHER_ORG, step } from "./sample-plans.js";

const bob = { kind: "person", userId: "bob", roles: ["approver"] } as const;
const carol = { kind: "person", userId: "carol", roles: ["approver"] } as const;

/** What every engine must do for approvals that steps wait for. */
export function approvalCases(battery: PlanBattery): void {
  const { store, restart, submit, claim, finish } = battery;
  let made = 0;
  const ask = async (
    attempt: AttemptRef,
    over: Partial<Approval> = {},
    wholePlan?: WholePlanRequest,
  ): Promise<Approval> => {
    made += 1;
    const nowMs = battery.clock().nowMs();
    const approval = sampleApproval({
      approvalId: uuidV7(nowMs + made, new Uint8Array(10).fill(made)),
      ...{ requestedAtMs: nowMs, expiresAtMs: nowMs + 60_000 },
      ...over,
    });
    const outcome = {
      kind: "awaiting_approval",
      approval,
      subject: SAMPLE_SUBJECT,
      wholePlan,
    } as const;
    await store().plans.finishStep(attempt, outcome, undefined);
    return approval;
  };
  const approve = (
    ref: PlanRef,
    { approvalId, digest }: Approval,
    by: typeof bob | typeof carol = bob,
  ) => store().plans.decideApproval(ref, approvalId, { decision: "approve", digest, by });
  const find = ({ approvalId }: Approval) => store().approvals.find(ORG, approvalId);
  const claimOf = (ref: PlanRef, stepId: string) =>
    store().plans.claimStep({ ...ref, stepId }, "owner");

  it("keeps what a step waits for, and who has approved it, over restarts", async () => {
    const ref = await submit([step("a")]);
    const rules = [{ policyId: "p", role: "approver", approversMin: 2 }];
    const approval = await ask(await claim(ref, "a"), { rules });
    await restart();
    expect(await claimOf(ref, "a")).toMatchObject({
      kind: "refused",
      refusal: { code: "APPROVAL_REQUIRED", approval },
    });
    expect(await find(approval)).toEqual({
      ...approval,
      ...{ orgId: ORG, planId: ref.planId, stepId: "a", sessionId: "session" },
      subject: SAMPLE_SUBJECT,
    });
    await approve(ref, approval);
    await restart();
    expect((await claimOf(ref, "a")).kind).toBe("refused");
    await approve(ref, approval, carol);
    expect(await find(approval)).toMatchObject({ status: "approved" });
    await restart();
    expect(await claimOf(ref, "a")).toMatchObject({
      ...{ kind: "claimed", attempt: 2 },
      approval: { approvalId: approval.approvalId, status: "used", usedBy: 2 },
    });
    // The use is durable before the step runs, although the step only reads.
    expect(await find(approval)).toMatchObject({ status: "used", usedBy: 2 });
    await finish({ ...ref, stepId: "a", attempt: 2 });
    expect(await store().plans.findPlan(ref)).toMatchObject({ status: "completed" });
  });

  it("keeps the denial of a step as its result", async () => {
    const ref = await submit([step("a"), step("b", ["a"])]);
    const approval = await ask(await claim(ref, "a"));
    await store().plans.decideApproval(ref, approval.approvalId, {
      ...{ decision: "deny", digest: approval.digest, reason: "no", by: bob },
    });
    await restart();
    expect(await claimOf(ref, "a")).toMatchObject({
      kind: "finished",
      execution: {
        stepResult: { status: "failed", error: { code: "APPROVAL_DENIED" } },
        llmContextUpdate: {
          augmentationHints: [
            expect.stringContaining("bob denied it: no") as string,
            expect.stringContaining("do not send it again unchanged") as string,
          ],
        },
      },
    });
    const plan = await store().plans.findPlan(ref);
    expect(plan?.steps.map(({ status }) => status)).toEqual(["failed", "skipped"]);
    expect(await find(approval)).toMatchObject({ status: "denied" });
  });

  it("gives an approval back after an attempt without effect, and voids one that is replaced", async () => {
    const ref = await submit([step("a")]);
    const first = await ask(await claim(ref, "a"));
    await approve(ref, first);
    await store().plans.finishStep(await claim(ref, "a"), { kind: "released" }, undefined);
    await restart();
    expect(await find(first)).toMatchObject({ status: "approved" });
    const second = await ask(await claim(ref, "a"), { digest: "cd".repeat(32) });
    await restart();
    expect(await find(first)).toMatchObject({ status: "void" });
    expect(await find(second)).toMatchObject({ status: "pending" });
    await expect(approve(ref, first)).rejects.toMatchObject({ code: "APPROVAL_CONFLICT" });
    await store().plans.cancelPlan(ref, "enough");
    expect(await find(second)).toMatchObject({ status: "void" });
  });

  it("lists approvals by status, plan and time, and to their organization only", async () => {
    const refs = [await submit([step("a")]), await submit([step("a")])] as const;
    const old = await ask(await claim(refs[0], "a"), { expiresAtMs: battery.clock().nowMs() + 1 });
    const young = await ask(await claim(refs[1], "a"));
    const list = async (
      filter: Parameters<ReturnType<typeof store>["approvals"]["list"]>[1],
      limit = 10,
      cursor?: string,
    ) => {
      const page = await store().approvals.list(
        ORG,
        filter,
        { limit, cursor },
        battery.clock().nowMs() + 2,
      );
      return { ids: page.approvals.map(({ approvalId }) => approvalId), next: page.nextCursor };
    };
    expect(await list({ status: "expired" })).toEqual({ ids: [old.approvalId], next: undefined });
    expect((await list({ status: "pending" })).ids).toEqual([young.approvalId]);
    expect((await list({ planId: refs[0].planId })).ids).toEqual([old.approvalId]);
    expect((await list({ status: "denied" })).ids).toEqual([]);
    const first = await list({}, 1);
    expect(first).toEqual({ ids: [young.approvalId], next: young.approvalId });
    expect((await list({}, 1, first.next)).ids).toEqual([old.approvalId]);
    expect(await store().approvals.find(OTHER_ORG, old.approvalId)).toBeUndefined();
    expect(await store().approvals.find(ORG, "no-id")).toBeUndefined();
    const others = await store().approvals.list(OTHER_ORG, {}, { limit: 1 }, 0);
    expect(others.approvals).toEqual([]);
  });

  it("ends approvals whose time has passed, given or not, with one event each", async () => {
    const plans = [await submit([step("a")]), await submit([step("a")])] as const;
    const late = { expiresAtMs: battery.clock().nowMs() - 1 };
    const waiting = await ask(await claim(plans[0], "a"), late);
    const given = await ask(await claim(plans[1], "a"), { ...late, status: "approved" });
    const young = await ask(await claim(await submit([step("a")]), "a"));
    await restart();
    await swept(store().plans);
    await swept(store().plans);
    expect(await find(waiting)).toMatchObject({ status: "expired" });
    expect(await find(given)).toMatchObject({ status: "expired" });
    expect(await find(young)).toMatchObject({ status: "pending" });
    for (const [ref, { approvalId, status: was }] of [
      [plans[0], waiting],
      [plans[1], given],
    ] as const) {
      const events = await store().plans.readEvents(ref, 0, 100);
      const ended = events.filter(({ eventType }) => eventType === "PlanApprovalExpired");
      expect(ended.map(({ payloadJson }) => JSON.parse(payloadJson) as unknown)).toEqual([
        expect.objectContaining({ approval_id: approvalId, step_id: "a", was }),
      ]);
      await expect(approve(ref, waiting)).rejects.toMatchObject({ code: "APPROVAL_CONFLICT" });
      expect(await claim(ref, "a")).toMatchObject({ attempt: 2 });
    }
    const page = { limit: 10 };
    const nowMs = battery.clock().nowMs();
    const { approvals } = await store().approvals.list(ORG, { status: "expired" }, page, nowMs);
    expect(approvals.map(({ approvalId }) => approvalId)).toEqual([
      given.approvalId,
      waiting.approvalId,
    ]);
  });

  it("keeps the approval of a whole plan over restarts, and grants each step once", async () => {
    const ref = await submit([step("a"), step("b"), step("c")]);
    const rules = [
      { policyId: "p", role: "approver", approversMin: 2, wholePlan: "derived" },
    ] as const;
    const covers = ["a", "b", "c"].map(
      (stepId) => ({ stepId, values: "derived", digest: `template ${stepId}` }) as const,
    );
    const asking = (stepId: string) => ({ rules, templateDigest: `template ${stepId}` });
    const attempt = await claim(ref, "a");
    const plan = sampleApproval({
      ...{ approvalId: uuidV7(battery.clock().nowMs() + 500, new Uint8Array(10)), rules, covers },
      ...{ digest: "ef".repeat(32), expiresAtMs: battery.clock().nowMs() + 60_000 },
    });
    const wholePlan = { revision: 1, approval: { ...plan, covers }, subject: SAMPLE_SUBJECT };
    const own = await ask(attempt, asking("a"), wholePlan);
    await restart();
    await approve(ref, plan);
    expect(await find(own)).toMatchObject({ status: "pending" });
    await approve(ref, plan, carol);
    await restart();
    // The step that waited and one that asks later are granted, each by its own approval.
    expect(await find(own)).toMatchObject({ status: "approved", grantedBy: plan.approvalId });
    await finish(await claim(ref, "a"));
    const later = await ask(await claim(ref, "b"), asking("b"));
    expect(await find(later)).toMatchObject({ status: "approved", decisions: [{}, {}] });
    await restart();
    expect((await find(plan))?.covers?.map(({ granted }) => granted)).toEqual([
      ...[own.approvalId, later.approvalId, undefined],
    ]);
    // What is granted but has not started, and the rest, end with a change of the plan's steps.
    await store().plans.revisePlan(ref, {
      ...{ change: { kind: "revise", step: step("c") }, expectedRevision: 1 },
      deadlineMs: battery.clock().nowMs() + 60_000,
    });
    expect(await find(plan)).toMatchObject({ status: "void" });
    expect(await find(later)).toMatchObject({ status: "void" });
    const again = await ask(await claim(ref, "c"), asking("c"));
    expect(await find(again)).toMatchObject({ status: "pending" });
  });

  it("finds the approval that stands for a statement's shape until it is revoked, over restarts", async () => {
    const refs = [await submit([step("a")]), await submit([step("a")])] as const;
    const rules = [{ policyId: "p", role: "approver", approversMin: 1, standingMs: 60_000 }];
    const shape = { shapeDigest: "shape", rules };
    const first = await ask(await claim(refs[0], "a"), shape);
    const { approvalId, digest } = first;
    const nowMs = battery.clock().nowMs();
    const standing = (org = ORG, shapeDigest = "shape", atMs = nowMs) =>
      store().approvals.standing(org, shapeDigest, atMs);
    expect(await standing()).toBeUndefined();
    const wanted = { decision: "approve", digest, by: bob, standingMs: 30_000 } as const;
    await store().plans.decideApproval(refs[0], approvalId, wanted);
    const found = await standing();
    expect(found).toMatchObject({ approvalId });
    // The store's own clock gives the time of the decision.
    const untilMs = found?.standingUntilMs ?? 0;
    expect(Math.abs(untilMs - nowMs - 30_000)).toBeLessThan(30_000);
    await restart();
    expect(await standing()).toEqual(found);
    expect(await standing(OTHER_ORG)).toBeUndefined();
    expect(await standing(ORG, "another")).toBeUndefined();
    expect(await standing(ORG, "shape", untilMs - 1)).toEqual(found);
    expect(await standing(ORG, "shape", untilMs)).toBeUndefined();
    const list = async () =>
      (await store().approvals.list(ORG, { isStanding: true }, { limit: 10 }, nowMs)).approvals;
    expect(await list()).toEqual([found]);

    // A step that begins to wait is granted its approval at once, and keeps who has approved it.
    const { decisions } = found ?? first;
    const grant = { approvalId, decisions, untilMs };
    const second = await claim(refs[1], "a");
    const approval = sampleApproval({
      approvalId: uuidV7(nowMs + 900, new Uint8Array(10).fill(9)),
      ...{ ...shape, requestedAtMs: nowMs, expiresAtMs: nowMs + 60_000 },
    });
    await store().plans.finishStep(
      second,
      { kind: "awaiting_approval", approval, subject: SAMPLE_SUBJECT, standing: grant },
      undefined,
    );
    expect(await find(approval)).toMatchObject({
      ...{ status: "approved", grantedBy: approvalId, underStanding: true },
      expiresAtMs: untilMs,
    });

    await store().approvals.revoke(OTHER_ORG, approvalId, { by: "eve", atMs: nowMs });
    expect(await list()).toHaveLength(1);
    await store().approvals.revoke(ORG, approvalId, { by: "bob", atMs: nowMs });
    await store().approvals.revoke(ORG, approvalId, { by: "carol", atMs: nowMs + 1 });
    await restart();
    expect(await find(first)).toMatchObject({ revoked: { by: "bob", atMs: nowMs } });
    expect([await standing(), ...(await list())]).toEqual([undefined]);
  });

  it("lets two approvers decide at the same time, each counted once", async () => {
    const ref = await submit([step("a")]);
    const rules = [{ policyId: "p", role: "approver", approversMin: 2 }];
    const approval = await ask(await claim(ref, "a"), { rules });
    const by = [bob, carol, bob, carol];
    await Promise.all(by.map((approver) => approve(ref, approval, approver)));
    const found = await find(approval);
    expect(found).toMatchObject({ status: "approved" });
    expect(found?.decisions.map(({ approver }) => approver.userId).sort()).toEqual([
      "bob",
      "carol",
    ]);
  });
}
