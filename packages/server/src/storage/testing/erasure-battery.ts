import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordedCaller, type RecordedCaller } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { OPERATION_PLAN_ID } from "../../approvals/index.js";
import { sampleApproval, SAMPLE_SUBJECT } from "../../approvals/testing/sample-approval.js";
import type { PlanRef } from "../../plans/ports.js";
import { Eraser } from "../../retention/eraser.js";
import type { Erasure, ErasureScope } from "../../retention/erasure.js";
import { verifyTotals } from "../../usage/reports/verification.js";
import { iri, quad, text as literal, TripleStore } from "@steward/state";
import type { Repositories, StateErasure } from "@steward/state/ports";
import type { Store } from "../store.js";
import { flushAudit, isVerified, newestRecords } from "./append-audit.js";
import { ERASED_COLUMNS, OF_USER, PLANTED } from "./erased-columns.js";
import { plantDecisions, plantPlans } from "./plant-everywhere.js";
import { RECORDED_STEP, recordToolCalls } from "./record-tool-calls.js";
import { claimed } from "./sample-plans.js";
import { TABLE_RETENTION } from "./table-retention.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
/** Stands in everything that is erased. */
const CANARY = "canaryqzx";

/** The state of the organizations of a store. */
interface OpenedState extends AsyncDisposable {
  readonly repositories: Repositories & StateErasure;
}

/** A store under test, with a look into everything that it has written. */
export interface ErasureStoreUnderTest {
  open(): Promise<Store>;
  /** The tables that have a row of this organization. */
  tablesOf(orgId: string): Promise<readonly string[]>;
  /** The state that belongs to the store; the caller closes it. */
  openState(): OpenedState;
  /** Whether this text is in a row of any table or, where the files are ours, in a file. */
  contains(text: string): Promise<boolean>;
  /** The columns with text or bytes, as `table.column`, but for those that {@link ERASED_COLUMNS} leaves out. */
  columns(): Promise<readonly string[]>;
  /** Whether this text is in a row of this column. */
  has(column: string, text: string): Promise<boolean>;
}

/** The required behaviour of every engine for erasures. */
export function erasureBattery(engine: string, under: ErasureStoreUnderTest): void {
  describe(`erasure on ${engine}`, () => {
    let store: Store;
    let opened: OpenedState;
    const open = async (): Promise<void> => {
      store = await under.open();
      opened = under.openState();
      await store.memory.useModel({ name: "two", dimension: 2 });
    };
    beforeEach(open);
    const close = async (): Promise<void> => {
      await opened[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    };
    afterEach(close);

    /** The personal values beside the records of an organization. */
    const personalValues = async (orgId: string): Promise<string> =>
      JSON.stringify((await newestRecords(store, { orgId })).map(({ personal }) => personal));

    const begin = async (
      scope: ErasureScope,
      subject: string,
      requestedBy = "ada",
    ): Promise<Erasure> => {
      const erasure: Erasure = {
        ...{ orgId: ORG, erasureId: randomUUID(), scope, subject, requestedBy },
        requestedAtMs: Date.now(),
        counts: { plans: 0, entries: 0, usage: 0 },
        subjectDigest: "digest",
      };
      await store.erasures.begin(erasure);
      return erasure;
    };
    const isFinished = async (): Promise<boolean> => {
      await consumeCalls(store);
      return (await store.erasures.unfinished()).length === 0;
    };
    const erase = async (scope: ErasureScope, subject: string): Promise<Erasure | undefined> => {
      const { erasureId } = await begin(scope, subject);
      await using _eraser = eraserOf(store, opened.repositories);
      await expect.poll(isFinished, { interval: 20 }).toBe(true);
      return (await store.erasures.list(ORG, 10)).find((each) => each.erasureId === erasureId);
    };

    it.each([
      ["organization", ""],
      ["session", "visit-1111"],
      ["user", `user-${CANARY}`],
    ] as const)("of a %s leaves no trace of it, and a receipt", async (scope, subject) => {
      const [mine, other] = [await live(store, ORG, CANARY), await live(store, OTHER_ORG, "else")];
      const running = { orgId: ORG, planId: randomUUID() };
      await store.plans.createPlan({ ...RUNNING, ref: running });
      // The state is the organization's, and no session's or user's.
      const isWhole = scope === "organization";
      if (isWhole) await commitText(opened.repositories, ORG, CANARY);
      await commitText(opened.repositories, OTHER_ORG, "else");
      // A session of a browser is no session of an agent.
      if (scope !== "session") await signIn(store, ORG, CANARY);
      if (scope !== "session") await revokeApproval(store, running, CANARY);
      if (scope !== "session") await changeSettings(store, ORG, `user-${CANARY}`);
      if (scope === "user") await addKey(store, ORG, `user-${CANARY}`);
      expect(await under.contains(CANARY)).toBe(true);
      expect(await personalValues(ORG)).toContain(CANARY);
      const { note } = await store.audit.archive.checkpoint();
      const estimate = await store.erased.estimate({ orgId: ORG, scope, subject });
      expect(estimate.counts).toMatchObject({ plans: isWhole ? 2 : 1, usage: isWhole ? 1 : 0 });
      const receipt = await erase(scope, subject);
      expect(receipt).toMatchObject({ subject: "", subjectDigest: "digest", scope });
      expect(receipt?.counts.plans).toBe(estimate.counts.plans);
      expect(receipt?.counts.entries).toBe(1);
      expect(await store.plans.findPlan(mine)).toBeUndefined();
      expect(await store.plans.findPlan(other)).toBeDefined();
      expect(await store.memory.listEntries(ORG, {}, { limit: 10 })).toEqual([]);
      expect(await store.memory.listEntries(OTHER_ORG, {}, { limit: 10 })).toHaveLength(1);
      expect(await verifyTotals(store.usage, ORG, { repair: false })).toEqual([]);
      expect((await store.usage.reports.heatMap(ORG)).length).toBe(1);
      expect(await personalValues(ORG)).not.toContain(CANARY);
      expect(await personalValues(OTHER_ORG)).toContain("else");
      const mainOf = (orgId: string) =>
        opened.repositories.read(orgId, (each) => each.store.ref("heads/main"));
      expect(await mainOf(ORG)).toBeUndefined();
      expect(await mainOf(OTHER_ORG)).toBeDefined();
      if (isWhole) {
        const tables = await under.tablesOf(ORG);
        expect(tables.filter((name) => !staysAfterErasure(name))).toEqual([]);
        await commitText(opened.repositories, ORG, "begins anew");
      }
      expect(await isVerified(store, note)).toBe(true);
      expect(await isVerified(store)).toBe(true);
      expect(await under.contains(CANARY)).toBe(false);
      if (scope === "session") expect(await under.contains(subject)).toBe(false);
      expect(await under.contains("else")).toBe(true);
    });

    it("is tried with every column that may hold something personal", async () => {
      const columns = await under.columns();
      expect(columns.filter((name) => ERASED_COLUMNS[name] === undefined)).toEqual([]);
    });

    /** The columns that have the word. */
    const columnsWith = async (word: string): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const name of await under.columns()) if (await under.has(name, word)) found.push(name);
      return found.sort();
    };

    it.each([
      ["organization", ""],
      ["user", `user-${CANARY}`],
    ] as const)("of a %s leaves nothing in any column", async (scope, subject) => {
      const user = `user-${CANARY}`;
      await live(store, ORG, CANARY);
      await plantPlans(store, ORG, CANARY);
      const decided = await plantDecisions(store, ORG, user);
      await consumeCalls(store);
      const running = { orgId: ORG, planId: randomUUID() };
      await store.plans.createPlan({ ...RUNNING, ref: running });
      await signIn(store, ORG, CANARY);
      await revokeApproval(store, running, CANARY);
      await changeSettings(store, ORG, user);
      if (scope === "user") await addKey(store, ORG, user);
      const fact = { kind: "test.fact", subject: "", detail: {}, atMs: 1, orgId: ORG };
      const caller = callerOf(CANARY);
      await store.audit.sequence.add([{ ...fact, origin: { caller, request: undefined } }]);
      const { erasureId } = await begin(scope, subject, user);
      const marks = [PLANTED, ...(scope === "user" ? [OF_USER] : [])];
      const planted = (await under.columns()).filter((name) =>
        marks.includes(ERASED_COLUMNS[name] ?? ""),
      );
      expect(await columnsWith(CANARY)).toEqual(planted.sort());
      {
        await using _eraser = eraserOf(store, opened.repositories);
        if (scope === "user") {
          // A plan that runs keeps the names of those who decided about it until it ends.
          const [open, ended] = decided;
          const isRewritten = async () => !(await eventsOf(store, ended)).includes(CANARY);
          await expect.poll(isRewritten, { interval: 20 }).toBe(true);
          expect(await eventsOf(store, open)).toContain(CANARY);
          expect(await isFinished()).toBe(false);
          await store.plans.cancelPlan(open, "not needed any more");
        }
        await expect.poll(isFinished, { interval: 20 }).toBe(true);
      }
      expect(await columnsWith(CANARY)).toEqual([]);
      expect(await under.contains(CANARY)).toBe(false);
      expect((await store.erasures.list(ORG, 10)).map((each) => each.erasureId)).toEqual([
        erasureId,
      ]);
      expect(await isVerified(store)).toBe(true);
      if (scope === "organization") return;
      for (const ref of decided) {
        expect(await eventsOf(store, ref)).toContain('"approver":""');
        expect(await store.plans.findPlan(ref)).toBeDefined();
      }
    });

    it("waits while a legal hold covers it, and goes on afterwards", async () => {
      const ref = await live(store, ORG, CANARY);
      const holdId = randomUUID();
      const hold = { orgId: ORG, holdId, reason: "case", placedBy: "", placedAtMs: 1 };
      await store.retention.placeHold({ ...hold, sessionId: "visit-1111" });
      await begin("organization", "");
      {
        await using eraser = eraserOf(store, opened.repositories);
        eraser.wake();
      }
      expect(await store.plans.findPlan(ref)).toBeDefined();
      expect(await isFinished()).toBe(false);
      await store.retention.liftHold(ORG, holdId);
      await using _eraser = eraserOf(store, opened.repositories);
      await expect.poll(isFinished, { interval: 20 }).toBe(true);
      expect(await store.plans.findPlan(ref)).toBeUndefined();
    });

    it("is carried out by the next process when the first has ended", async () => {
      const ref = await live(store, ORG, CANARY);
      await begin("session", "visit-1111");
      await close();
      await open();
      await using _eraser = eraserOf(store, opened.repositories);
      await expect.poll(isFinished, { interval: 20 }).toBe(true);
      expect(await store.plans.findPlan(ref)).toBeUndefined();
    });
  });
}

function eraserOf(store: Store, state: StateErasure): Eraser {
  return new Eraser({
    state,
    ...{
      erasures: store.erasures,
      store: store.retention,
      erased: store.erased,
      planNames: store.erasedPlanNames,
    },
    ...{ rows: store.expired, plans: store.plans, clock: systemClock, log: silentLog },
    entries: {
      deleteEntries: async (...of) => (await store.memory.deleteExpired(...of)).length,
      deleteThese: async (orgId, ids) => {
        let deleted = 0;
        for (const id of ids) if (await store.memory.deleteEntry(orgId, id)) deleted += 1;
        return deleted;
      },
    },
    withUsage: (work) => work(),
    markers: { erase: () => Promise.resolve() },
    audit: {
      flush: () => flushAudit(store),
      erase: (...asked) => store.audit.archive.erase(...asked),
    },
  });
}

/** Makes a plan with a tool call, a memory entry and a usage row, with this text in each part. */
async function live(store: Store, orgId: string, text: string): Promise<PlanRef> {
  const caller = callerOf(text);
  const [call] = await recordToolCalls(store.plans, [
    {
      ...{ orgId, caller, sessionId: `visit-${orgId.slice(0, 4)}`, finishedAtMs: Date.now() },
      ...{ output: JSON.stringify([{ name: text }]), query: `SELECT '${text}'` },
      stepId: `step-${text}`,
    },
  ]);
  if (call === undefined) throw new Error("a call was recorded");
  const ref = { orgId, planId: call.planId };
  const request = { requestId: `request-${text}`, peerAddress: text };
  const fact = { kind: "test.fact", subject: ref.planId, detail: {}, atMs: 1 };
  await store.audit.sequence.add([{ ...fact, orgId, origin: { caller, request } }]);
  await consumeCalls(store);
  await plantWebhooks(store, ref, text);
  return ref;
}

/** An agent of a user, both with this text in their names. */
function callerOf(text: string): RecordedCaller {
  const names = { userId: `user-${text}`, agentId: `agent-${text}`, roles: [`role of ${text}`] };
  return recordedCaller({ ...NOBODY, ...names, kind: "agent" });
}

/** The payloads of a plan's events. */
async function eventsOf({ plans }: Store, ref: PlanRef): Promise<string> {
  const events = await plans.readEvents(ref, 0, 100);
  return events.map(({ payloadJson }) => payloadJson).join("\n");
}

/** Leaves webhooks about a plan with the text, which two targets have not accepted. */
async function plantWebhooks(store: Store, ref: PlanRef, text: string): Promise<void> {
  const { orgId, planId } = ref;
  const body = JSON.stringify({ data: { plan_id: planId, reason: text } });
  const delivery = { orgId, body, messageId: `msg_${planId}_7`, dueAtMs: 1 };
  await store.webhooks.add([
    { ...delivery, target: "one" },
    { ...delivery, target: "other" },
  ]);
}

/** Signs a user of this name in, with a browser and as the user of an agent. */
async function signIn({ browserSessions }: Store, orgId: string, text: string): Promise<void> {
  const times = { createdAtMs: 1, lastUsedAtMs: 1, expiresAtMs: Number.MAX_SAFE_INTEGER };
  for (const owner of [`person:user-${text}`, `agent:bot:user-${text}`]) {
    const proof = { kind: "apiKey", keyId: "k", secretHash: "" } as const;
    await browserSessions.add({ orgId, idHash: randomUUID(), owner, proof, ...times }, 9);
  }
}

/** Leaves settings that a user has changed. */
async function changeSettings(store: Store, orgId: string, changedBy: string): Promise<void> {
  const version = { orgId, version: 1, changedBy, changedAtMs: 1 };
  expect(await store.policies.put({ ...version, text: "" })).toBe(true);
  expect(await store.retention.put({ ...version, periods: { plans: 30 } })).toBe(true);
}

/** Adds an API key that names a user. */
async function addKey(store: Store, orgId: string, userId: string): Promise<void> {
  await store.apiKeys.add({
    ...{ orgId, keyId: randomUUID(), createdAtMs: 1, secretHash: "", environment: "live", userId },
    ...{ name: `key of ${userId}`, roles: [], permissions: [], scopes: [] },
  });
}

/** Has a step of the plan wait for an approval that a user of this name has revoked. */
async function revokeApproval(store: Store, ref: PlanRef, text: string): Promise<void> {
  const stepRef = { ...ref, stepId: RECORDED_STEP.id };
  const claim = await store.plans.claimStep(stepRef, "owner");
  const approval = sampleApproval();
  const outcome = { kind: "awaiting_approval", approval, subject: SAMPLE_SUBJECT } as const;
  await store.plans.finishStep({ ...stepRef, attempt: claimed(claim).attempt }, outcome, undefined);
  const userId = `user-${text}`;
  const operation = {
    ...sampleApproval({ approvalId: randomUUID(), requester: { kind: "person", userId } }),
    ...{ orgId: ref.orgId, planId: OPERATION_PLAN_ID, stepId: "digest" },
    sessionId: `session-${text}`,
    subject: { ...SAMPLE_SUBJECT, statement: JSON.stringify({ user_id: userId }) },
  };
  expect(await store.approvals.put(operation)).toBe(true);
  await store.approvals.revoke(ref.orgId, approval.approvalId, { by: `user-${text}`, atMs: 1 });
  expect(await store.approvals.find(ref.orgId, approval.approvalId)).toMatchObject({
    revoked: { by: `user-${text}` },
  });
}

/** Whether a table may have rows of an organization that was erased. */
function staysAfterErasure(name: string): boolean {
  return STAY_A_WHILE.includes(name) || TABLE_RETENTION[name]?.startsWith("stays") === true;
}

/** Versions of settings; ids of deleted entries, for an hour; the fact that the erasure has ended. */
const STAY_A_WHILE: readonly string[] = [
  ...["policies", "retention_versions", "memory_deletions", "audit_outbox"],
];

/** Commits the text to the organization's branch `main`. */
function commitText(state: Repositories, orgId: string, text: string): Promise<unknown> {
  return state.write(orgId, ({ store }) => {
    const triples = new TripleStore(store, systemClock);
    triples.add(quad(iri("urn:table"), iri("urn:owner"), literal(text)));
    return triples.commit({ author: text, message: text });
  });
}

/** Makes the usage rows and the memory entries of all calls that have none. */
async function consumeCalls(store: Store): Promise<void> {
  const { usage, memory } = store;
  await usage.recording.recordPending(10);
  const taken = await memory.takeCalls(10);
  const vectors = taken.calls.map(() => Float32Array.of(1, 1));
  if (vectors.length > 0) await memory.remember(taken, vectors);
  await flushAudit(store);
}

/** A plan that nobody has run yet. */
const RUNNING = {
  sessionId: "other session",
  name: "plan",
  description: "",
  steps: [RECORDED_STEP],
  createdAtMs: 1,
  deadlineMs: Number.MAX_SAFE_INTEGER,
};
