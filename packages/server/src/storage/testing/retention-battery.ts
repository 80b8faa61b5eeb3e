import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { embeddedEntry } from "../../memory/embedded-entry.js";
import { forkedSteps, forkOrigin } from "../../plans/fork.js";
import type { NewPlan, PlanRef } from "../../plans/ports.js";
import type { StepOutcome } from "../../plans/transitions.js";
import { ROWS_DELETED_MAX } from "../../retention/limits.js";
import type { LegalHold, RetentionVersion } from "../../retention/ports.js";
import { verifyTotals } from "../../usage/reports/verification.js";
import type { Store } from "../store.js";
import { appendAudit } from "./append-audit.js";
import { RECORDED_STEP, recordToolCalls, type ChosenCall } from "./record-tool-calls.js";
import { rowsBetween } from "./rows-between.js";
import { TABLE_RETENTION } from "./table-retention.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const DAY_MS = 24 * 60 * 60 * 1000;
const ALL = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
/** A page on which everything is expired. */
const EVERYTHING = { beforeMs: Number.MAX_SAFE_INTEGER, limit: 100 };

/** A store under test, with a look into its tables. */
export interface RetentionStoreUnderTest {
  open(): Promise<Store>;
  /** The number of rows of a table. */
  count(table: string): Promise<number>;
  /** The tables with a column `org_id`. */
  tablesOfOrganizations(): Promise<readonly string[]>;
}

/**
 * The required behaviour of every engine for the deletion of expired data. Within one test, each
 * call of `open` opens the same database.
 */
export function retentionBattery(engine: string, under: RetentionStoreUnderTest): void {
  describe(`retention on ${engine}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await under.open();
      await store.memory.useModel({ name: "two", dimension: 2 });
    });
    afterEach(() => store[Symbol.asyncDispose]());

    const restart = async (): Promise<void> => {
      await store[Symbol.asyncDispose]();
      store = await under.open();
      await store.memory.useModel({ name: "two", dimension: 2 });
    };
    const record = async (...calls: readonly Omit<ChosenCall, "orgId">[]) =>
      (
        await recordToolCalls(
          store.plans,
          calls.map((call) => ({ orgId: ORG, ...call })),
        )
      ).map(({ planId }): PlanRef => ({ orgId: ORG, planId }));
    const find = (ref: PlanRef | undefined) =>
      store.plans.findPlan(ref ?? { orgId: "", planId: "" });
    const deletePlans = async (page = EVERYTHING): Promise<number> =>
      (await store.expired.deletePlans(ORG, page)).deleted;
    const deleteLogs = async (): Promise<number> => {
      let batches = 0;
      while (await store.expired.deleteLogs(ORG, ROWS_DELETED_MAX)) batches += 1;
      return batches;
    };

    it("names for every table of organizations what deletes its rows", async () => {
      const known = Object.keys(TABLE_RETENTION);
      const unknown = (await under.tablesOfOrganizations()).filter((name) => !known.includes(name));
      expect(unknown, "add the table to table-retention.ts").toEqual([]);
    });

    it("deletes plans that ended before a time, with everything that is theirs", async () => {
      const [ref] = await record({});
      await recordToolCalls(store.plans, [{ orgId: OTHER_ORG }]);
      await readAllCalls(store);
      expect(await deletePlans({ ...EVERYTHING, beforeMs: 1 })).toBe(0);
      expect(await find(ref)).toBeDefined();
      expect(await deletePlans()).toBe(1);
      expect(await find(ref)).toBeUndefined();
      expect((await store.plans.listPlans(ORG, {}, { limit: 10 })).plans).toEqual([]);
      await deleteLogs();
      for (const name of ["plans", "plan_definitions"]) expect(await under.count(name)).toBe(1);
      expect(await under.count("plan_removals")).toBe(0);
      expect(await deletePlans()).toBe(0);
    });

    it("keeps a plan that is not over, and one with calls that a consumer has not read", async () => {
      const open = await createPlan(store);
      const [unread] = await record({});
      await store.usage.recording.recordPending(10);
      expect(await deletePlans()).toBe(0);
      await readAllCalls(store);
      expect(await deletePlans()).toBe(1);
      expect(await find(open)).toBeDefined();
      expect(await find(unread)).toBeUndefined();
    });

    it("keeps a plan while a fork refers to its results, and refuses forks of a deleted one", async () => {
      const [ref] = await record({});
      if (ref === undefined) throw new Error("a plan was recorded");
      const source = await store.plans.loadPlan(ref);
      const fork = { steps: forkedSteps(source.prepared), fork: forkOrigin(source, undefined) };
      const forked = await createPlan(store, fork);
      await store.plans.cancelPlan(forked, "no longer needed");
      await readAllCalls(store);
      await deletePlans();
      expect([await find(ref), await find(forked)]).toMatchObject([{}, undefined]);
      expect(await deletePlans()).toBe(1);
      await expect(createPlan(store, fork)).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
    });

    it("deletes nothing that a legal hold covers", async () => {
      const [held, free] = await record({ sessionId: "held" }, { sessionId: "free" });
      await readAllCalls(store);
      await store.memory.addEntries(["held", "free"].map(entryOf));
      const session = hold({ sessionId: "held" });
      const whole = hold({});
      await store.retention.placeHold(session);
      await store.retention.placeHold(whole);
      expect(await store.retention.holds(ORG)).toEqual(
        [session, whole].sort((a, b) => (a.holdId < b.holdId ? -1 : 1)),
      );
      expect(await deletePlans()).toBe(0);
      expect(await store.memory.deleteSession(ORG, "held", 10)).toEqual([]);
      for (const { entryId } of await store.memory.listEntries(ORG, {}, { limit: 10 })) {
        expect(await store.memory.deleteEntry(ORG, entryId)).toBe(false);
      }
      expect(await store.memory.listEntries(ORG, {}, { limit: 10 })).toHaveLength(2);
      expect(await store.expired.deleteUsageDetail(ORG, ALL.untilMs, 10)).toBe(0);
      expect(await store.memory.deleteExpired(ORG, { beforeMs: ALL.untilMs }, 10)).toEqual([]);
      expect(await store.retention.liftHold(ORG, whole.holdId)).toBe(true);
      expect(await store.retention.liftHold(ORG, whole.holdId)).toBe(false);
      expect(await deletePlans()).toBe(1);
      expect([await find(held), await find(free)]).toMatchObject([{}, undefined]);
      expect(await store.expired.deleteUsageDetail(ORG, ALL.untilMs, 10)).toBe(1);
      expect(await store.memory.deleteExpired(ORG, { beforeMs: ALL.untilMs }, 10)).toHaveLength(1);
      expect(await store.retention.liftHold(OTHER_ORG, session.holdId)).toBe(false);
    });

    it("frees the idempotency key of a deleted plan, and expired keys before that", async () => {
      const idempotency = { key: "once", requestHash: "hash" };
      const first = await createPlan(store, { idempotency });
      const deleteKeys = async (): Promise<number> =>
        (await store.expired.deleteIdempotencyKeys(ORG, EVERYTHING)).deleted;
      expect(await deleteKeys()).toBe(0);
      await store.plans.cancelPlan(first, "done");
      expect((await repeated(store, idempotency)).planId).toBe(first.planId);
      expect(await deleteKeys()).toBe(1);
      const second = await repeated(store, idempotency);
      expect(second.planId).not.toBe(first.planId);
      await store.plans.cancelPlan(second, "done");
      await readAllCalls(store);
      expect(await deletePlans()).toBe(2);
      expect((await repeated(store, idempotency)).planId).not.toBe(second.planId);
    });

    it("refuses transitions of a deleted plan", async () => {
      const ref = await createPlan(store);
      const claim = await store.plans.claimStep({ ...ref, stepId: RECORDED_STEP.id }, "owner");
      const attempt = { ...ref, stepId: RECORDED_STEP.id, attempt: 1 };
      expect(claim.kind).toBe("claimed");
      await store.plans.finishStep(attempt, FAILED, undefined);
      await readAllCalls(store);
      const [retried, deleted] = await Promise.allSettled([
        store.plans.retryPlan(ref, Number.MAX_SAFE_INTEGER),
        deletePlans(),
      ]);
      // Either came first, and the other knows.
      if (retried.status === "fulfilled") {
        expect([deleted, await find(ref)]).toMatchObject([{ value: 0 }, { status: "running" }]);
      } else {
        expect(retried.reason).toMatchObject({ code: "PLAN_NOT_FOUND" });
        await deleteLogs();
        expect(await under.count("plan_changes")).toBe(0);
      }
    });

    it("deletes a long log in several transactions, and goes on after a restart", async () => {
      const steps = Array.from({ length: ROWS_DELETED_MAX }, (_, index) => ({
        ...RECORDED_STEP,
        ...{ id: `s${String(index)}`, index },
      }));
      const ref = await createPlan(store, { steps });
      for (const { id } of steps) {
        const claim = await store.plans.claimStep({ ...ref, stepId: id }, "owner");
        if (claim.kind !== "claimed") throw new Error(claim.kind);
        await store.plans.finishStep(
          { ...ref, stepId: id, attempt: claim.attempt },
          {
            kind: "completed",
            rowCount: 1,
            durationMs: 1,
            context: { toolOutputJson: "[1]", schemaAdditions: [], augmentationHints: [] },
          },
          undefined,
        );
      }
      await readAllCalls(store);
      expect(await deletePlans()).toBe(1);
      expect(await store.expired.deleteLogs(ORG, ROWS_DELETED_MAX)).toBe(true);
      await restart();
      expect(await store.expired.nextOrganization(undefined)).toBe(ORG);
      expect(await deleteLogs()).toBeGreaterThan(0);
      expect(await under.count("plan_changes")).toBe(0);
      expect(await under.count("plan_definitions")).toBe(0);
      expect(await store.expired.nextOrganization(undefined)).toBeUndefined();
    });

    it("deletes usage rows by whole days and keeps their totals, which still agree", async () => {
      const day = Date.parse("2026-01-05T00:00:00Z");
      const times = [0, 1, 2].map((n) => ({ finishedAtMs: day + n * DAY_MS + 5 }));
      await record(...times);
      await readAllCalls(store);
      const totals = () => store.usage.reports.heatMap(ORG);
      const before = await totals();
      expect(await store.usage.reports.detailFromMs(ORG)).toBe(0);
      expect(await store.expired.deleteUsageDetail(ORG, day + DAY_MS, 10)).toBe(1);
      expect(await store.expired.deleteUsageDetail(ORG, day + 2 * DAY_MS, 1)).toBe(1);
      expect(await store.expired.deleteUsageDetail(ORG, day + 2 * DAY_MS, 1)).toBe(0);
      expect(await rowsBetween(store.usage, ORG, ALL, 10)).toHaveLength(1);
      expect(await totals()).toEqual(before);
      expect(await store.usage.reports.detailFromMs(ORG)).toBe(day + 2 * DAY_MS);
      expect(await verifyTotals(store.usage, ORG, { repair: true })).toEqual([]);
      expect(await totals()).toEqual(before);
    });

    it("stores each version of an organization's periods once", async () => {
      expect(await store.retention.latest(ORG)).toBeUndefined();
      expect(await store.retention.put(version(2))).toBe(false);
      const tries = [1, 2, 3].map(() => store.retention.put(version(1)));
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
      expect(await store.retention.put(version(2))).toBe(true);
      await restart();
      expect(await store.retention.latest(ORG)).toEqual(version(2));
      expect(await store.retention.latest(OTHER_ORG)).toBeUndefined();
    });
  });
}

const FAILED: StepOutcome = {
  kind: "failed",
  error: { code: "STEP_FAILED", message: "no" },
  durationMs: 1,
  context: { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: [] },
};

/** Has every consumer read all calls, and settle the plans that have ended. */
async function readAllCalls({ usage, memory, audit }: Store): Promise<void> {
  await appendAudit(audit.sequence);
  for (let isMore = true; isMore;) isMore = (await usage.recording.recordPending(1000)).length > 0;
  for (;;) {
    const taken = await memory.toolCalls.take(1000);
    await memory.toolCalls.done(taken);
    if (taken.calls.length === 0 && !taken.isCut) return;
  }
}

async function createPlan(store: Store, more: Partial<NewPlan> = {}): Promise<PlanRef> {
  const ref = { orgId: ORG, planId: randomUUID() };
  await store.plans.createPlan({
    ref,
    sessionId: "session",
    name: "plan",
    description: "",
    steps: [RECORDED_STEP],
    createdAtMs: 1,
    deadlineMs: Number.MAX_SAFE_INTEGER,
    ...more,
  });
  return ref;
}

/** The plan that a request under an idempotency key makes, or had made. */
async function repeated(
  store: Store,
  idempotency: NonNullable<NewPlan["idempotency"]>,
): Promise<PlanRef> {
  const { planId } = await store.plans.createPlan({
    ref: { orgId: ORG, planId: randomUUID() },
    sessionId: "session",
    name: "plan",
    description: "",
    steps: [RECORDED_STEP],
    createdAtMs: 1,
    deadlineMs: Number.MAX_SAFE_INTEGER,
    idempotency,
  });
  return { orgId: ORG, planId };
}

function hold(more: Partial<LegalHold>): LegalHold {
  const holdId = randomUUID();
  return { orgId: ORG, holdId, reason: "case 17", placedBy: "ada", placedAtMs: 1, ...more };
}

function version(number: number): RetentionVersion {
  const periods = { plans: number, memory: 5 };
  return { orgId: ORG, version: number, periods, changedBy: "ada", changedAtMs: 1000 + number };
}

function entryOf(sessionId: string) {
  const entry = { orgId: ORG, entryId: randomUUID(), sessionId, content: "{}", createdAtMs: 1 };
  return embeddedEntry(entry, Float32Array.of(1, 1));
}
