import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { recordedCaller } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { seededRandom, withSeed } from "@steward/kernel/testing/seeded-random.js";
import { AuditSequencer, CheckpointSigner } from "../../audit/index.js";
import type { AuditFact, AuditFilter, AuditSequence } from "../../audit/ports.js";
import { personalDigest } from "../../audit/record.js";
import {
  leafHash,
  TreeEdge,
  verifiedCheckpoint,
  type VerifierKey,
} from "../../audit/tree/index.js";
import { RecordedOperation } from "../../kernel/recorded-operation.js";
import type { PlanEngine } from "../../plans/index.js";
import type { PolicyStore } from "../../policies/ports.js";
import type { AuditStore } from "../store.js";
import { newestRecords } from "./append-audit.js";
import { recordToolCalls, RECORDED_STEP } from "./record-tool-calls.js";

/** An engine under test. */
export interface AuditUnderTest extends AsyncDisposable {
  readonly plans: PlanEngine;
  readonly policies: PolicyStore;
  readonly audit: AuditStore;
}

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const PLAN = "33333333-3333-4333-8333-333333333333";

const SIGNER = signer();

/**
 * The required behaviour of every engine's audit log. Within one test, each call of `open` opens the
 * same database, as a restarted process would.
 * @param canShare whether several processes may have the store open at once.
 */
export function auditBattery(
  engine: string,
  open: () => Promise<AuditUnderTest>,
  canShare: boolean,
): void {
  describe(`the audit log on ${engine}`, () => {
    it("has a record of every change of a plan, with who asked for it", async () => {
      await using store = await open();
      const ref = { orgId: ORG, planId: PLAN };
      const request = { requestId: "r1", peerAddress: "192.0.2.7", traceId: "ab".repeat(16) };
      const origin = { caller: recordedCaller(ADMIN), request, policyVersion: "v1" };
      await store.plans.createPlan({
        ...{ ref, origin, sessionId: "s", name: "n", description: "of Ada" },
        ...{ steps: [RECORDED_STEP], createdAtMs: 1, deadlineMs: Number.MAX_SAFE_INTEGER },
      });
      await store.plans.cancelPlan(ref, "Ada said so", { ...origin, request: undefined });
      await flush(store);
      const [cancelled, created] = (await newestRecords(store, { orgId: ORG })).map(
        ({ entry, personal }) => ({ entry: JSON.parse(entry) as unknown, personal }),
      );
      expect(created?.entry).toMatchObject({
        v: 2,
        kind: "plan.changed",
        org: ORG,
        subject: PLAN,
        by: { kind: "person", roles: ["admin"] },
        request: { trace: "ab".repeat(16) },
        personal: expect.stringMatching(/^sha256:[\w-]{43}$/) as string,
        detail: { events: [{ type: "PlanCreated", sequence: 1 }], policy_version: "v1" },
      });
      expect(cancelled?.entry).toMatchObject({ detail: { policy_version: "v1" } });
      expect(created?.personal?.values).toMatchObject({
        "by.user": "ada",
        "request.id": "r1",
        "request.peer": "192.0.2.7",
        session: "s",
      });
      expect(cancelled?.personal?.values).toMatchObject({ "events.0.reason": "Ada said so" });
      // A random digest may happen to contain a short name.
      const told = JSON.stringify([created?.entry, cancelled?.entry]);
      expect(told.replaceAll(/sha256:[\w-]+/g, "")).not.toMatch(/ada|192\.0\.2/i);
    });

    it("commits the record of an operation with its effect, once, and neither without the other", async () => {
      await using store = await open();
      const put = async (version: number) => {
        const operation = new RecordedOperation(fact(ORG, `version ${String(version)}`));
        const policies = { orgId: ORG, version, text: "", changedBy: "", changedAtMs: 1 };
        const isPut = await store.policies.put(policies, operation);
        await store.policies.put({ ...policies, orgId: OTHER_ORG }, operation);
        return [isPut, operation.isWritten];
      };
      expect(await put(1)).toEqual([true, true]);
      expect(await put(1)).toEqual([false, false]);
      expect(await put(2)).toEqual([true, true]);
      await flush(store);
      const subjects = (await verifiedRecords(store)).map(({ subject }) => subject);
      expect(subjects.slice(1)).toEqual(["version 1", "version 2"]);
    });

    it("puts every fact into the tree once, also when nodes race and appends fail", async () => {
      await withSeed(async (seed) => {
        const random = seededRandom(seed);
        const calls: string[] = [];
        {
          await using store = await open();
          const other = canShare ? await open() : undefined;
          const nodes = [store, other ?? store];
          let isWriting = true;
          const writers = Promise.all(
            [ORG, OTHER_ORG].map(async (orgId) => {
              const given = Array.from({ length: 12 }, () => ({ orgId }));
              const made = await recordToolCalls(store.plans, given);
              calls.push(...made.map(({ eventId }) => eventId));
              await store.audit.sequence.add([fact(orgId, "one"), fact(orgId, "two")]);
            }),
          ).finally(() => {
            isWriting = false;
          });
          const appenders = nodes.map(async (node) => {
            while (isWriting) {
              await using sequencer = sequencerOf({
                ...node.audit,
                sequence: doubtful(node.audit.sequence, random),
              });
              await sequencer.flush().catch(() => undefined);
            }
          });
          await Promise.all([writers, ...appenders]);
          await other?.[Symbol.asyncDispose]();
        }
        await using store = await open();
        await flush(store);
        const records = await verifiedRecords(store);
        const ofPlans = records.filter(({ kind }) => kind === "plan.changed");
        const ids = ofPlans.flatMap(({ detail, subject }) =>
          detail.events.map(({ sequence }) => `${subject} ${String(sequence)}`),
        );
        expect(new Set(ids).size).toBe(ids.length);
        const told = ofPlans.flatMap(({ detail }) => detail.call?.event_id ?? []);
        expect(told.toSorted()).toEqual(calls.toSorted());
        for (const plan of new Set(ofPlans.map(({ subject }) => subject))) {
          const sequences = ofPlans
            .filter(({ subject }) => subject === plan)
            .flatMap(({ detail }) => detail.events.map(({ sequence }) => sequence));
          expect(sequences).toEqual(sequences.map((_sequence, index) => index + 1));
        }
        expect(records.filter(({ kind }) => kind === "test.fact")).toHaveLength(4);
        expect(records.filter(({ kind }) => kind === "audit.key_used")).toHaveLength(1);
      });
    }, 60_000);

    it("continues the tree after a restart, and names each key that signs it", async () => {
      {
        await using store = await open();
        await store.audit.sequence.add([fact(ORG, "first")]);
        await flush(store);
      }
      await using store = await open();
      const next = signer();
      await store.audit.sequence.add([fact(ORG, "second")]);
      await expect(flush(store, next)).rejects.toThrow(/SERVICE_AUDIT_KEY_FILE/);
      await flush(store, next, SIGNER.key);
      const kinds = (await verifiedRecords(store, next)).map(({ kind, subject }) => [
        kind,
        subject,
      ]);
      expect(kinds).toEqual([
        ["audit.key_used", SIGNER.key.keyId],
        ["test.fact", "first"],
        ["audit.key_used", next.key.keyId],
        ["test.fact", "second"],
      ]);
    });

    it("lets a server begin only with the key that has signed the log", async () => {
      await using store = await open();
      await using other = canShare ? await open() : undefined;
      // Both begin on an empty log.
      const ends = await Promise.allSettled(
        [signer(), signer()].map(async (key, at) => {
          await using sequencer = sequencerOf((at === 0 ? store : (other ?? store)).audit, key);
          await sequencer.begin();
        }),
      );
      expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    });

    it("keeps for each witness the largest checkpoint that it cosigned, over a restart", async () => {
      {
        await using store = await open();
        const { cosignatures } = store.audit;
        await cosignatures.put({ witness: "b", size: 7, note: "seven" });
        await cosignatures.put({ witness: "b", size: 3, note: "late" });
        await cosignatures.put({ witness: "a", size: 2, note: "two" });
        await cosignatures.put({ witness: "a", size: 2, note: "two again" });
      }
      await using again = await open();
      expect(await again.audit.cosignatures.list()).toEqual([
        { witness: "a", size: 2, note: "two again" },
        { witness: "b", size: 7, note: "seven" },
      ]);
    });

    it("lists by organization, kind, subject and time, newest first", async () => {
      await using store = await open();
      const { archive, sequence } = store.audit;
      const facts = [fact(ORG, "a", 1), fact(ORG, "b", 2), fact(OTHER_ORG, "a", 3)];
      await sequence.add([...facts, { ...fact(ORG, "a", 4), kind: "testing" }]);
      await flush(store);
      const subjects = async (filter: AuditFilter, limit?: number, before?: number) =>
        (await newestRecords(store, filter, limit, before)).map(
          ({ entry }) => recordOf(entry).subject,
        );
      expect(await subjects({ orgId: ORG })).toEqual(["a", "b", "a"]);
      expect(await subjects({ orgId: ORG, kind: "test" })).toEqual(["b", "a"]);
      expect(await subjects({ orgId: ORG, kind: "test.fact", subject: "a" })).toEqual(["a"]);
      expect(await subjects({ orgId: ORG, fromMs: 2, untilMs: 4 })).toEqual(["b"]);
      const [newest] = await newestRecords(store, { orgId: ORG }, 1);
      expect(await subjects({ orgId: ORG }, 1, newest?.index)).toEqual(["b"]);
      expect(await archive.record(OTHER_ORG, newest?.index ?? 0)).toBeUndefined();
      expect(await archive.record(ORG, newest?.index ?? 0)).toEqual(newest);
    });

    it("ends a page when its records have too many bytes, in entries and in personal values", async () => {
      await using store = await open();
      const { archive, sequence } = store.audit;
      const long = { detail: { text: "x".repeat(10_000) } };
      const personal = { personal: { text: "x".repeat(10_000) } };
      for (const extra of [{}, long, long, personal]) {
        await sequence.add([{ ...fact(ORG, "a"), ...extra }]);
        await flush(store);
      }
      const filter = { orgId: ORG };
      const pages: number[][] = [];
      for (let before: number | undefined, isCut = true; isCut;) {
        const page = await archive.list(filter, { limit: 4, bytesMax: 15_000 }, before);
        pages.push(page.records.map(({ index }) => index));
        ({ isCut } = page);
        before = page.records.at(-1)?.index;
      }
      expect(pages.map(({ length }) => length)).toEqual([1, 1, 2]);
      const all = await newestRecords(store, filter);
      expect(pages.flat()).toEqual(all.map(({ index }) => index));
      const one = await archive.list(filter, { limit: 1, bytesMax: 1 });
      expect(one).toEqual({ records: all.slice(0, 1), isCut: false });
      const none = await archive.list({ ...filter, kind: "none" }, { limit: 1, bytesMax: 1 });
      expect(none).toEqual({ records: [], isCut: false });
    });

    it("still verifies when personal values were erased, which are proven until then", async () => {
      await using store = await open();
      const { archive, sequence } = store.audit;
      const personal = { mail: "ada@example.com" };
      await sequence.add([
        { ...fact(ORG, "a"), personal },
        { ...fact(ORG, "b"), personal },
      ]);
      await flush(store);
      const [, before] = await newestRecords(store, { orgId: ORG });
      const { salt = "" } = before?.personal ?? {};
      const digest = personalDigest(salt, '{"mail":"ada@example.com"}');
      expect(recordOf(before?.entry ?? "")).toMatchObject({ detail: {}, personal: digest });
      const untilMs = 1;
      expect(await archive.erase(ORG, { untilMs: 0 }, 10)).toBe(0);
      expect(await archive.erase(ORG, { untilMs, text: "ada@example.co" }, 10)).toBe(0);
      expect(await archive.erase(ORG, { untilMs, subjects: ["a"] }, 10)).toBe(1);
      expect(await archive.erase(OTHER_ORG, { untilMs }, 10)).toBe(0);
      const [kept, erased] = await newestRecords(store, { orgId: ORG });
      expect([kept?.personal?.values, erased?.personal]).toEqual([personal, undefined]);
      expect(erased?.entry).toBe(before?.entry);
      expect(await archive.erase(ORG, { untilMs, text: "ada@example.com" }, 10)).toBe(1);
      const nested = { request: JSON.stringify({ session_id: 'the "s"' }) };
      await sequence.add([{ ...fact(ORG, "c"), personal: nested }]);
      await flush(store);
      expect(await archive.erase(ORG, { untilMs, text: 'the "s"' }, 10)).toBe(1);
      expect((await newestRecords(store, { orgId: ORG }, 1))[0]?.personal).toBeUndefined();
      expect(await verifiedRecords(store)).toHaveLength(4);
    });
  });
}

interface TestRecord {
  readonly kind: string;
  readonly subject: string;
  readonly detail: {
    readonly events: readonly { readonly sequence: number }[];
    readonly call?: { readonly event_id: string };
  };
}

function recordOf(entry: string): TestRecord {
  return JSON.parse(entry) as TestRecord;
}

function signer(): CheckpointSigner {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return new CheckpointSigner("steward.test/audit", pem);
}

function sequencerOf(
  store: AuditStore,
  using: CheckpointSigner = SIGNER,
  replacedKey?: VerifierKey,
): AuditSequencer {
  const parts = { ...store, signer: using, clock: systemClock, log: silentLog };
  return new AuditSequencer({ ...parts, ...(replacedKey === undefined ? {} : { replacedKey }) });
}

async function flush(
  { audit }: AuditUnderTest,
  using?: CheckpointSigner,
  replacedKey?: VerifierKey,
): Promise<void> {
  await using sequencer = sequencerOf(audit, using, replacedKey);
  await sequencer.flush();
}

/** A sequence whose appends sometimes fail, before or after they took effect. */
function doubtful(sequence: AuditSequence, random: () => number): AuditSequence {
  return {
    batchMax: sequence.batchMax,
    prepare: (first) => sequence.prepare(first, 1 + Math.floor(random() * 6)),
    add: (facts) => sequence.add(facts),
    append: async (...given) => {
      const drawn = random();
      if (drawn < 0.2) throw new Error("failed before the append");
      const isAppended = await sequence.append(...given);
      if (drawn < 0.4) throw new Error("failed after the append");
      return isAppended;
    },
  };
}

function fact(orgId: string, subject: string, atMs = 1): AuditFact {
  return { orgId, atMs, kind: "test.fact", subject, detail: {} };
}

/** The records in their order, after their leaves have led to the root of the signed checkpoint. */
async function verifiedRecords(
  { audit }: AuditUnderTest,
  { key } = SIGNER,
): Promise<readonly TestRecord[]> {
  const { size, note } = await audit.archive.checkpoint();
  const checkpoint = verifiedCheckpoint(note, [key]);
  const entries = await audit.archive.entries(0, size + 1);
  const edge = new TreeEdge();
  edge.append(entries.map((entry) => leafHash(Buffer.from(entry))));
  expect([edge.size, edge.root()]).toEqual([checkpoint.size, checkpoint.root]);
  return entries.map(recordOf);
}
