import { expect } from "vitest";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { areMet, type Approval, type CoveredStep } from "../../../approvals/index.js";
import { SAMPLE_SUBJECT } from "../../../approvals/testing/sample-approval.js";
import type { ApprovalRule } from "../../../governance/index.js";
import type { StepOutcome, WholePlanRequest } from "../../plan-state.js";
import type { PreparedStep } from "../../plan.js";
import type { AttemptRef, PlanRef } from "../../ports.js";
import type { Process } from "./process.js";
import { runSchedules, Schedule } from "./schedule.js";

/*
 * Steps that need approvals, on two nodes that lose answers, hang and are killed. Approvers race
 * each other and the clients, plans are approved as a whole, approvals stand for later statements and
 * are revoked, approvals expire, and steps and policies change. What took effect is compared with the
 * plan's log, which is read without the code that wrote it.
 */

const REF: PlanRef = { orgId: "11111111-1111-4111-8111-111111111111", planId: "plan" };
/** The first is the person on whose behalf the agent asks, and may never decide. */
const PERSONS = ["alice", "bob", "carol", "dave"] as const;

/** Runs schedules with consecutive seeds, beginning with the seed of the test run. */
export function runApprovalSchedules(count: number): Promise<void> {
  return runSchedules(count, (seed) => new ApprovalSchedule(seed));
}

/** A run of a statement, and what the policies demanded of it at that moment. */
interface Effect {
  readonly attempt: AttemptRef;
  readonly approvalId: string | undefined;
  readonly digest: string;
  readonly approversMin: number;
  readonly atMs: number;
}

class ApprovalSchedule {
  readonly #schedule: Schedule;
  readonly #steps: readonly PreparedStep[];
  readonly #effects: Effect[] = [];
  /** The decisions that were acknowledged. */
  readonly #told: {
    readonly approvalId: string;
    readonly person: string;
    readonly decision: string;
  }[] = [];
  /** When each standing approval was revoked. */
  readonly #revoked = new Map<string, number>();
  #policies = { version: 1, approversMin: 1, standingMs: STANDING_MS };
  #made = 0;

  constructor(seed: number) {
    const random = seededRandom(seed);
    const isCalm = random() < 0.3;
    const often = isCalm ? 0 : random() * 0.15;
    this.#schedule = new Schedule({
      ...{ random, isCalm, completed, expected: EXPECTED },
      faults: { refused: often, lost: often, unheard: isCalm ? 0 : 0.3 },
    });
    this.#steps = stepsOf(1 + Math.floor(random() * 3), random);
  }

  async run(): Promise<void> {
    const schedule = this.#schedule;
    const { world } = schedule;
    schedule.start();
    if (world.chance(0.7)) schedule.start();
    await schedule.until(() => schedule.submit({ ref: REF, steps: this.#steps }));
    for (const { id } of this.#steps) {
      for (let client = 0; client < 2; client += 1) schedule.actor(() => this.#client(id));
    }
    for (const person of PERSONS) {
      if (world.chance(0.8)) schedule.actor(() => this.#approver(person));
    }
    if (world.chance(0.5)) schedule.actor(() => this.#changer());
    if (world.chance(0.3)) schedule.actor(() => this.#reviser());
    if (world.chance(0.3)) schedule.actor(() => this.#revoker());
    if (world.chance(0.1)) schedule.actor(() => this.#canceller());
    if (world.chance(0.4)) schedule.actor(() => this.#killer());
    await schedule.runFaulty();
    this.#policies = { ...this.#policies, approversMin: Math.min(this.#policies.approversMin, 2) };
    await schedule.finish(() => this.#finish());
    this.#check();
  }

  async #client(stepId: string): Promise<void> {
    for (let asked = 0; asked < 15; asked += 1) {
      if (await this.#execute(stepId)) return;
      await this.#schedule.world.sleep(this.#schedule.world.random() * 3000);
    }
  }

  /** @returns whether there is nothing left to do. */
  async #execute(stepId: string, outdated?: string): Promise<boolean> {
    const process = this.#schedule.any();
    const ref = { ...REF, stepId };
    this.#made += 1;
    const owner = `owner-${String(this.#made)}`;
    const claim = await this.#schedule.answer(
      process.ask((engine) => engine.claimStep(ref, owner, { outdatedApproval: outdated })),
    );
    if (claim === undefined || claim.kind === "running") return false;
    if (claim.kind === "awaiting") return false;
    if (claim.kind === "finished") return true;
    if (claim.kind === "refused") {
      const { code, approval } = claim.refusal;
      const isOutdated =
        approval !== undefined && approval.policyVersion !== String(this.#policies.version);
      if (isOutdated && outdated === undefined) return this.#execute(stepId, approval.approvalId);
      return code === "PLAN_NOT_ACTIVE";
    }
    const attempt = { ...ref, attempt: claim.attempt };
    const outcome = await this.#attempt(process, attempt, claim.step, claim.approval);
    if (outcome === undefined) return false;
    const ended = await this.#schedule.answer(
      process.ask((engine) => engine.finishStep(attempt, outcome, undefined)),
    );
    return ended?.kind === "ended";
  }

  /** Decides on the statement and runs it. @returns `undefined` when the process died meanwhile. */
  async #attempt(
    process: Process,
    attempt: AttemptRef,
    step: PreparedStep,
    approval: Approval | undefined,
  ): Promise<StepOutcome | undefined> {
    const world = this.#schedule.world;
    if (world.chance(0.1)) await world.sleep(world.random() * 40_000);
    else await world.turn();
    if (process.isDead()) return undefined;
    const { version, approversMin, standingMs } = this.#policies;
    const digest = digestOf(step, version);
    const wholePlan = world.chance(0.8) ? ({ wholePlan: "derived" } as const) : {};
    const rule = { policyId: "p", role: "approver", approversMin, standingMs, ...wholePlan };
    const rules: readonly ApprovalRule[] = approversMin === 0 ? [] : [rule];
    const standing = approval?.underStanding === true ? this.#standing(approval.grantedBy) : true;
    const isMet =
      approval?.digest === digest && standing !== undefined && areMet(rules, approval.decisions);
    if (rules.length > 0 && !isMet) return this.#awaiting(digest, rules);
    if (world.chance(0.1)) return { kind: "retried", error: ERROR, durationMs: 1 };
    if (world.chance(0.1)) return { kind: "released" };
    const isRead = step.intent === "read_select";
    if (!isRead && !this.#schedule.target.run(attempt)) return { kind: "released" };
    const approvalId = approval?.approvalId;
    this.#effects.push({ attempt, approvalId, digest, approversMin, atMs: world.nowMs() });
    await world.turn();
    return process.isDead() ? undefined : completed();
  }

  #awaiting(digest: string, rules: readonly ApprovalRule[]): StepOutcome {
    this.#made += 1;
    const nowMs = this.#schedule.world.nowMs();
    const approval: Approval = {
      ...{ approvalId: `approval-${String(this.#made)}`, digest, status: "pending", rules },
      templateDigest: `template of ${digest}`,
      requester: { kind: "agent", userId: "alice", agentId: "bot" },
      policyVersion: String(this.#policies.version),
      ...{ requestedAtMs: nowMs, expiresAtMs: nowMs + this.#schedule.world.random() * 60_000 },
      decisions: [],
      shapeDigest: `shape ${String(this.#policies.version)}`,
    };
    const found = this.#standing(undefined, approval.shapeDigest);
    if (found?.standingUntilMs !== undefined) {
      const { approvalId, decisions, standingUntilMs: untilMs } = found;
      const standing = { approvalId, decisions, untilMs };
      return { kind: "awaiting_approval", approval, subject: SAMPLE_SUBJECT, standing };
    }
    const wholePlan = this.#schedule.world.chance(0.6) ? this.#wholePlan(approval) : undefined;
    return { kind: "awaiting_approval", approval, subject: SAMPLE_SUBJECT, wholePlan };
  }

  /** An approval that stands now: the one with this id, or one for this shape. */
  #standing(approvalId: string | undefined, shapeDigest?: string): Approval | undefined {
    const { entries } = this.#schedule.store.find(REF);
    const index = new Map(
      entries.flatMap(({ approvals }) =>
        approvals.map(({ approval }) => [approval.approvalId, approval] as const),
      ),
    );
    return [...index.values()].find(
      (each) =>
        (each.approvalId === approvalId || each.shapeDigest === shapeDigest) &&
        (each.status === "approved" || each.status === "used") &&
        this.#schedule.world.nowMs() < (each.standingUntilMs ?? 0) &&
        !this.#revoked.has(each.approvalId),
    );
  }

  async #revoker(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) {
      await this.#schedule.world.sleep(this.#schedule.world.random() * 15_000);
      const shape = `shape ${String(this.#policies.version)}`;
      const standing = this.#standing(undefined, shape);
      if (standing !== undefined) {
        this.#revoked.set(standing.approvalId, this.#schedule.world.nowMs());
      }
    }
  }

  /** A request to approve the plan as it is now. Some of its digests are of values not known yet. */
  #wholePlan(approval: Approval): WholePlanRequest {
    this.#made += 1;
    const { state, prepared } = this.#schedule.store.find(REF);
    const covers = prepared.map((step): CoveredStep => {
      const digest = digestOf(step, Number(approval.policyVersion));
      const isKnown = this.#schedule.world.chance(0.5);
      return isKnown
        ? { stepId: step.id, values: "known", digest }
        : { stepId: step.id, values: "derived", digest: `template of ${digest}` };
    });
    const approvalId = `plan-approval-${String(this.#made)}`;
    const { shapeDigest: _shapeDigest, ...own } = approval;
    return {
      revision: state.revision,
      approval: { ...own, approvalId, digest: `plan ${String(state.revision)}`, covers },
      subject: SAMPLE_SUBJECT,
    };
  }

  /** Revises a step, which ends what the whole plan was approved for. */
  async #reviser(): Promise<void> {
    for (let turn = 0; turn < 2; turn += 1) {
      await this.#schedule.world.sleep(this.#schedule.world.random() * 15_000);
      const { state, prepared } = this.#schedule.store.find(REF);
      const { revision: _revision, ...step } = this.#schedule.world.pick(prepared);
      const change = { kind: "revise", step } as const;
      const deadlineMs = this.#schedule.world.nowMs() + 86_400_000;
      const revision = { change, expectedRevision: state.revision, deadlineMs };
      await this.#schedule.answer(
        this.#schedule.any().ask((engine) => engine.revisePlan(REF, revision)),
      );
    }
  }

  async #approver(person: (typeof PERSONS)[number]): Promise<void> {
    for (let turn = 0; turn < 8; turn += 1) {
      await this.#schedule.world.sleep(this.#schedule.world.random() * 8000);
      await this.#decide(person, this.#schedule.world.chance(0.9) ? "approve" : "deny");
    }
  }

  /** Decides about an approval that the person has seen, which may be old by now. */
  async #decide(person: string, decision: "approve" | "deny"): Promise<void> {
    const { entries } = this.#schedule.store.find(REF);
    const seen = entries.flatMap(({ approvals }) => approvals.map(({ approval }) => approval));
    const newest = seen.slice(-3);
    if (newest.length === 0) return;
    const { approvalId, digest } = this.#schedule.world.pick(newest);
    const by = { kind: "person", userId: person, roles: ["approver"] } as const;
    const { world } = this.#schedule;
    const standingMs = world.chance(0.3) ? 1000 + world.random() * 25_000 : undefined;
    const wanted = { decision, digest: world.chance(0.05) ? "another" : digest, by, standingMs };
    try {
      await this.#schedule.any().ask((engine) => engine.decideApproval(REF, approvalId, wanted));
    } catch (error) {
      if (!this.#schedule.isExpected(error)) throw error;
      return;
    }
    expect(person).not.toBe("alice");
    expect(wanted.digest).toBe(digest);
    this.#told.push({ approvalId, person, decision });
  }

  async #changer(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) {
      await this.#schedule.world.sleep(this.#schedule.world.random() * 15_000);
      const approversMin = this.#schedule.world.pick([0, 1, 1, 2]);
      const standingMs = this.#schedule.world.pick([STANDING_MS, 5000]);
      this.#policies = { version: this.#policies.version + 1, approversMin, standingMs };
    }
  }

  async #canceller(): Promise<void> {
    await this.#schedule.world.sleep(this.#schedule.world.random() * 20_000);
    await this.#schedule.answer(
      this.#schedule.any().ask((engine) => engine.cancelPlan(REF, "enough")),
    );
  }

  /** Kills a process and starts another one, as a restart or a change of nodes does. */
  async #killer(): Promise<void> {
    for (let kills = 0; kills < 2; kills += 1) {
      await this.#schedule.world.sleep(this.#schedule.world.random() * 20_000);
      this.#schedule.any().kill();
      this.#schedule.start();
    }
  }

  /** Has everything approved until the plan is over. */
  async #finish(): Promise<void> {
    for (;;) {
      const { status } = this.#schedule.store.find(REF).state;
      if (status !== "pending" && status !== "running") return;
      for (const { id } of this.#steps) await this.#execute(id);
      for (const person of ["bob", "carol", "dave"]) {
        for (const { approval } of this.#schedule.store.find(REF).state.steps) {
          if (approval?.status !== "pending") continue;
          const { approvalId, digest } = approval;
          const by = { kind: "person", userId: person, roles: ["approver"] } as const;
          const wanted = { decision: "approve", digest, by } as const;
          await this.#schedule.answer(
            this.#schedule.any().ask((engine) => engine.decideApproval(REF, approvalId, wanted)),
          );
        }
      }
      await this.#schedule.world.sleep(1000);
    }
  }

  #check(): void {
    const { entries, state } = this.#schedule.store.find(REF);
    const log = entries.flatMap(({ events }) =>
      events.map(({ eventType, payloadJson, timestamp }) => ({
        type: eventType,
        at: timestamp,
        ...(JSON.parse(payloadJson) as Payload),
      })),
    );
    for (const effect of this.#effects) this.#checkEffect(effect, log);
    for (const { id, index, intent } of this.#steps) {
      const runs = this.#schedule.target.effects.filter(({ stepId }) => stepId === id).length;
      const isCompleted = state.steps[index]?.status === "completed";
      if (intent !== "read_select") expect(runs, `effects of ${id}`).toBe(isCompleted ? 1 : 0);
    }
    for (const { approvalId, person, decision } of this.#told) {
      const decided = log.filter(
        (event) => event.approval_id === approvalId && approversOf(event).includes(person),
      );
      expect(decided.map((event) => event.decision)).toContain(decision);
    }
    expect(log.filter((event) => approversOf(event).includes("alice"))).toEqual([]);
    this.#checkIndex();
  }

  /** Each effect was approved before its attempt began, by enough persons, in time, and only for it. */
  #checkEffect(effect: Effect, log: readonly LoggedPayload[]): void {
    const { attempt, approvalId, approversMin, digest } = effect;
    if (approversMin === 0) return;
    const begun = log.findIndex(
      (event) =>
        event.type === "PlanStepStarted" &&
        event.step_id === attempt.stepId &&
        event.attempt === attempt.attempt,
    );
    const before = log.slice(0, begun).filter((event) => event.approval_id === approvalId);
    const [requested, ...own] = before;
    expect(requested).toMatchObject({ step_id: attempt.stepId, digest });
    expect((log[begun]?.at ?? "") <= (requested?.expires_at ?? "")).toBe(true);
    const grant = own.find((event) => event.granted_by !== undefined);
    const decided = grant === undefined ? own : this.#checkGrant(grant, effect, log);
    const approvers = new Set(
      decided.flatMap(({ decision, approver }) => (decision === "approve" ? [approver] : [])),
    );
    expect(approvers.size).toBeGreaterThanOrEqual(approversMin);
    expect(decided.map(({ decision }) => decision)).not.toContain("deny");
    const isRead = this.#steps.some(
      ({ id, intent }) => id === attempt.stepId && intent === "read_select",
    );
    const others = this.#effects.filter((other) => other.approvalId === approvalId);
    if (!isRead) expect(others).toEqual([effect]);
  }

  /**
   * A step was granted its approval by a standing one, which was in force when the statement ran, or by its
   * plan's: that one covered it, was in time, no step was revised since its request, and it granted the step
   * nothing else. @returns the decisions about the granting approval.
   */
  #checkGrant(
    grant: LoggedPayload,
    { attempt: { stepId }, atMs }: Effect,
    log: readonly LoggedPayload[],
  ): readonly LoggedPayload[] {
    const granted = log.indexOf(grant);
    const about = (event: LoggedPayload) => event.approval_id === grant.granted_by;
    const asked = log.findIndex(about);
    const [request, ...decided] = log.slice(0, granted).filter(about);
    const untilText = decided.findLast(({ standing_until: until }) => until !== undefined);
    if (untilText?.standing_until !== undefined) {
      expect(atMs).toBeLessThan(Date.parse(untilText.standing_until) + 1);
      expect(atMs).toBeLessThanOrEqual(this.#revoked.get(grant.granted_by ?? "") ?? Infinity);
      return decided;
    }
    expect(request).toMatchObject({ step_ids: expect.arrayContaining([stepId]) as string[] });
    expect(grant.at <= (request?.expires_at ?? "")).toBe(true);
    const between = log.slice(asked, granted).map(({ type }) => type);
    expect(between).not.toContain("PlanStepRevised");
    const others = log.filter(
      (event) => event.granted_by === grant.granted_by && event.step_id === stepId,
    );
    expect(others).toEqual([grant]);
    return decided;
  }

  /** The index shows each approval as the plan's state has it, and no other is open at the end. */
  #checkIndex(): void {
    const { entries, state } = this.#schedule.store.find(REF);
    const index = new Map<string, Approval>();
    for (const { approvals } of entries) {
      for (const { approval, subject } of approvals) {
        expect(index.has(approval.approvalId)).toBe(subject === undefined);
        index.set(approval.approvalId, approval);
      }
    }
    for (const { approval, planApproval } of state.steps) {
      for (const held of [approval, planApproval]) {
        if (held !== undefined) expect(index.get(held.approvalId)).toEqual(held);
      }
    }
    const open = [...index.values()].filter(
      ({ status }) => status === "pending" || status === "approved",
    );
    expect(open).toEqual([]);
    const expired = entries.flatMap(({ events }) =>
      events.filter(({ eventType }) => eventType === "PlanApprovalExpired"),
    );
    const told = expired.map(({ payloadJson }) => (JSON.parse(payloadJson) as Payload).approval_id);
    const late = [...index.values()].filter(({ status }) => status === "expired");
    expect(told.sort()).toEqual(late.map(({ approvalId }) => approvalId).sort());
  }
}

/** An event as the checks read it. */
type LoggedPayload = Payload & { readonly type: string; readonly at: string };

/** Who has decided; a grant by the plan's approval names all of its approvers. */
function approversOf({ approver }: Payload): readonly string[] {
  return approver?.split(", ") ?? [];
}

/** What runs, and under which policies. */
function digestOf({ id, revision = 1 }: PreparedStep, version: number): string {
  return `${id} ${String(revision)} ${String(version)}`;
}

/** The members of events that the checks read. */
interface Payload {
  readonly step_id?: string;
  readonly attempt?: number;
  readonly approval_id?: string;
  readonly digest?: string;
  readonly expires_at?: string;
  readonly approver?: string;
  readonly decision?: string;
  readonly granted_by?: string;
  readonly standing_until?: string;
  readonly step_ids?: readonly string[];
}

const STANDING_MS = 60_000;
const ERROR = { code: "STEP_FAILED", message: "failed" } as const;
/** Errors of a client that is too late, lacks the right, or gets no answer. */
const EXPECTED = [
  ...["STORE_UNAVAILABLE", "PLAN_NOT_ACTIVE", "APPROVAL_CONFLICT", "POLICY_DENIED"],
  ...["STEP_NOT_REVISABLE", "REVISION_CONFLICT", "LIMIT_EXCEEDED"],
];

function completed(): StepOutcome {
  const context = { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: [] };
  return { kind: "completed", rowCount: 1, durationMs: 1, context };
}

/** Steps that depend on each other in a row or not at all. */
function stepsOf(count: number, random: () => number): readonly PreparedStep[] {
  const isRow = random() < 0.5;
  return Array.from({ length: count }, (_, index): PreparedStep => {
    const intent = random() < 0.3 ? "read_select" : "write_delete";
    return {
      ...{ id: `s${String(index)}`, index, name: "", toolName: "sql", dataSource: "default" },
      ...{ intent, intentSource: "explicit", statementClass: intent, queryTemplate: "" },
      ...{ schemaTableHints: [], statement: { sql: "", binds: [] } },
      dependsOn: isRow && index > 0 ? [`s${String(index - 1)}`] : [],
    };
  });
}
