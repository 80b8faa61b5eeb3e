import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import type { AbandonedStep, PlanRef } from "../../plans/ports.js";
import { RetentionSweeper } from "../../retention/retention-sweeper.js";
import type { Store } from "../store.js";
import { appendAudit, flushAudit, isVerified, newestRecords } from "./append-audit.js";
import { recordToolCalls } from "./record-tool-calls.js";
import { newPlan, ORG, OTHER_ORG, step } from "./sample-plans.js";

/** A store under test, whose rows can be damaged. */
export interface DamagedStoreUnderTest {
  open(): Promise<Store>;
  /** Runs a statement on the store's database, beside the store. */
  execute(sql: string): Promise<void>;
}

/** What every engine does when rows cannot be read: everything else goes on. */
export function damagedRowsBattery(engine: string, under: DamagedStoreUnderTest): void {
  describe(`damaged rows on ${engine}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await under.open();
    });
    afterEach(() => store[Symbol.asyncDispose]());
    const restart = async (): Promise<void> => {
      await store[Symbol.asyncDispose]();
      store = await under.open();
    };
    /** The definition of a version of the program that is not this one. */
    const damage = ({ planId }: PlanRef): Promise<void> =>
      under.execute(
        `UPDATE plan_definitions SET steps = '{"of":"a later version"}' WHERE plan_id = '${planId}'`,
      );
    const submit = async (deadlineMs: number, intent: "read_select" | "write_insert") => {
      const plan = newPlan(systemClock, [step("a", [], { intent })], { deadlineMs });
      await store.plans.createPlan(plan);
      return plan.ref;
    };
    const paused = (): SetAside =>
      new SetAside({
        ...{ work: "a sweep", log: silentLog, timers: systemTimers, random: () => 0.999 },
        backoff: { baseMs: 3_600_000, capMs: 3_600_000 },
      });
    const setAside = paused();
    const sweep = async (limit: number): Promise<readonly AbandonedStep[]> => {
      const abandoned: AbandonedStep[] = [];
      await store.plans.sweep(limit, setAside, (each) => {
        abandoned.push(each);
        return Promise.resolve();
      });
      return abandoned;
    };

    it("a sweep ends every plan past its deadline that can be read, although others take its limit", async () => {
      const deadlineMs = systemClock.nowMs() - 60_000;
      const refs: PlanRef[] = [];
      for (let at = 0; at < 5; at += 1) refs.push(await submit(deadlineMs + at, "read_select"));
      const [first, second, ...readable] = refs;
      if (first === undefined || second === undefined) throw new Error("there are five plans");
      await Promise.all([damage(first), damage(second)]);
      await restart();
      for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweep(2);
      for (const ref of readable) expect((await store.plans.findPlan(ref))?.status).toBe("failed");
    });

    it("a sweep finds every abandoned step that can be read, although others take its limit", async () => {
      const claims: PlanRef[] = [];
      for (let at = 0; at < 3; at += 1) {
        const ref = await submit(systemClock.nowMs() + 3_600_000, "write_insert");
        await store.plans.claimStep({ ...ref, stepId: "a" }, "owner");
        await under.execute(
          `UPDATE step_leases SET lease_until_ms = ${String(at)} WHERE plan_id = '${ref.planId}'`,
        );
        claims.push(ref);
      }
      const [first, ...readable] = claims;
      if (first !== undefined) await damage(first);
      await restart();
      const found: string[] = [];
      for (let sweeps = 0; sweeps < 3; sweeps += 1)
        for (const { attempt } of await sweep(2)) found.push(attempt.planId);
      for (const { planId } of readable) expect(found).toContain(planId);
    });

    it("the audit log has a record that says so in the place of each that cannot be read, and goes on", async () => {
      await flushAudit(store);
      const refs = await recordToolCalls(store.plans, [{ orgId: ORG }, { orgId: OTHER_ORG }]);
      const ref = { orgId: ORG, planId: refs[0]?.planId ?? "" };
      const fact = { atMs: 1, kind: "test.fact", subject: "s", origin: undefined, detail: {} };
      await store.audit.sequence.add([
        { ...fact, orgId: ORG },
        { ...fact, orgId: OTHER_ORG },
      ]);
      await under.execute(
        `UPDATE plan_changes SET events = '["a later version"' WHERE plan_id = '${ref.planId}'`,
      );
      await under.execute(`UPDATE audit_outbox SET fact = 'damaged' WHERE org_id = '${ORG}'`);
      await restart();
      await flushAudit(store);
      expect(await isVerified(store)).toBe(true);
      const kindsOf = async (orgId: string): Promise<readonly string[]> =>
        (await newestRecords(store, { orgId })).map(
          ({ entry }) => (JSON.parse(entry) as { readonly kind: string }).kind,
        );
      expect(await kindsOf(ORG)).toContain("record.unreadable");
      expect(await kindsOf(ORG)).not.toContain("test.fact");
      expect(await kindsOf(OTHER_ORG)).toContain("test.fact");
      expect(await kindsOf(OTHER_ORG)).toContain("plan.changed");
      const unreadable = { orgId: ORG, kind: "record", subject: ref.planId };
      const [about] = await newestRecords(store, unreadable, 1);
      expect(about?.personal?.values).toHaveProperty("row");
      const { from, size } = await store.audit.sequence.prepare([], 10);
      expect(size).toBe(from);
    });

    it("usage and memory take every call that can be read, and a damaged one once it is mended", async () => {
      const orgs = [ORG, OTHER_ORG, ORG];
      const refs = await recordToolCalls(
        store.plans,
        orgs.map((orgId) => ({ orgId })),
      );
      const [damaged, ...good] = refs;
      if (damaged === undefined) throw new Error("there are three calls");
      const setCall = (call: string): Promise<void> =>
        under.execute(
          `UPDATE plan_changes SET call = ${call}
           WHERE plan_id = '${damaged.planId}' AND call IS NOT NULL`,
        );
      await setCall("'later' || call");
      const take = async (aside?: SetAside): Promise<readonly string[]> => {
        const batch = await store.memory.toolCalls.take(10, aside);
        await store.memory.toolCalls.done(batch);
        return batch.calls.map(({ eventId }) => eventId);
      };
      const count = async (aside?: SetAside): Promise<readonly string[]> =>
        (await store.usage.recording.recordPending(10, aside)).map(({ id }) => id);
      const ids = good.map(({ eventId }) => eventId).toSorted();
      await restart();
      const announced: string[] = [];
      store.toolCalls.onRecorded((calls) => announced.push(...calls.map(({ eventId }) => eventId)));
      await store.toolCalls.replay();
      expect(announced.toSorted()).toEqual(ids);
      const [ofUsage, ofMemory] = [paused(), paused()];
      expect((await count(ofUsage)).toSorted()).toEqual(ids);
      expect((await take(ofMemory)).toSorted()).toEqual(ids);
      expect([ofUsage.size, ofMemory.size]).toEqual([1, 1]);
      await restart();
      expect([await count(), await take()]).toEqual([[], []]);
      await setCall("substr(call, 6)");
      await restart();
      expect([await count(), await take()]).toEqual([[damaged.eventId], [damaged.eventId]]);
      await restart();
      expect([await count(), await take()]).toEqual([[], []]);
    });

    it("expired data of every other organization is deleted when one cannot be read", async () => {
      for (const orgId of [ORG, OTHER_ORG]) {
        await recordToolCalls(store.plans, [{ orgId, finishedAtMs: 1 }]);
        const own = { orgId, version: 1, changedBy: "", changedAtMs: 1 };
        await store.retention.put({ ...own, periods: { plans: 1 } });
      }
      await store.usage.recording.recordPending(10);
      await store.memory.useModel({ name: "two", dimension: 2 });
      await store.memory.toolCalls.done(await store.memory.toolCalls.take(10));
      await appendAudit(store.audit.sequence);
      await under.execute("UPDATE plans SET finished_at_ms = 1");
      await under.execute(
        `UPDATE retention_versions SET periods = 'damaged' WHERE org_id = '${ORG}'`,
      );
      await using sweeper = new RetentionSweeper({
        ...{ store: store.retention, rows: store.expired, log: silentLog, clock: systemClock },
        rules: { periods: { plans: 1 }, mayBeLonger: false },
        entries: {
          deleteEntries: async (...of) => (await store.memory.deleteExpired(...of)).length,
        },
        withUsage: (work) => work(),
      });
      expect(await sweeper.sweep()).toEqual({ plans: 1 });
      expect((await store.plans.listPlans(OTHER_ORG, {}, { limit: 10 })).plans).toEqual([]);
      expect((await store.plans.listPlans(ORG, {}, { limit: 10 })).plans).toHaveLength(1);
    });
  });
}
