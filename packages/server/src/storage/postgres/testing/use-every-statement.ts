import { OPERATION_PLAN_ID } from "../../../approvals/index.js";
import { swept } from "../../../plans/engine/testing/swept.js";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { sampleApproval, SAMPLE_SUBJECT } from "../../../approvals/testing/sample-approval.js";
import { RecordedOperation } from "../../../kernel/recorded-operation.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import type { ApiKey } from "../../../identity/ports.js";
import { embeddedEntry } from "../../../memory/embedded-entry.js";
import type { EmbeddedEntry } from "../../../memory/ports.js";
import { forkedSteps, forkOrigin } from "../../../plans/fork.js";
import type { NewPlan, PlanRef } from "../../../plans/ports.js";
import { ERASURE_SCOPES, type Erasure } from "../../../retention/index.js";
import type { Hash } from "@steward/state";
import { appendAudit } from "../../testing/append-audit.js";
import { plantDecisions } from "../../testing/plant-everywhere.js";
import { RECORDED_STEP, recordToolCalls } from "../../testing/record-tool-calls.js";
import { budgetSample, externalSample, priceSample } from "../../testing/usage-samples.js";
import type { Store } from "../../store.js";
import type { MeterPlace } from "../../../usage/ports.js";
import { Database } from "../database.js";
import { deliveryInsert } from "../../cold/webhook-store.js";
import { runOn } from "../sql-store.js";
import { MemoryFollower } from "../memory/memory-follower.js";
import { openIndexSource, type IndexSourceOptions } from "../memory/memory-index-source.js";
import { PostgresReembedding } from "../memory/memory-reembedding.js";
import { NodeFile } from "../node-file.js";
import { NodeLease } from "../node-lease.js";
import { PlanQueries } from "../plans/plan-queries.js";
import { PostgresPlanHandover } from "../plans/plan-handover.js";
import { Signals } from "../signals.js";
import { openPostgresStore } from "../store.js";
import { DoubtfulProxy } from "./doubtful-proxy.js";
import { rowsBetween } from "../../testing/rows-between.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const ALL = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
/** An arbitrary hash. */
const HASH = "ab".repeat(32) as Hash;

/**
 * Opens a store at this URL and runs every operation that sends a statement of its own.
 * @param onStatement called with each statement.
 */
export async function useEveryStatement(
  databaseUrl: string,
  onStatement: (text: string) => void,
): Promise<void> {
  const usual = {
    clock: systemClock,
    ids: systemIds(systemClock),
    log: silentLog,
    telemetry: silentTelemetry,
  };
  await using proxy = await DoubtfulProxy.start(databaseUrl, onStatement);
  const { url } = proxy;
  await using store = await openPostgresStore({ url, ...usual });
  await store.check();
  await store.status.read();
  await useMemory(store, url);
  await usePlans(store, url);
  await useApprovals(store);
  await useUsage(store);
  await useState(store);
  await useDoubts(store, proxy);
  await useOthers(store);
  await useRetention(store);
  await useWebhooks(store, url);
  await useAudit(store);
  await useNodes(url);
}

async function useWebhooks({ webhooks }: Store, url: string): Promise<void> {
  await using db = new Database(url);
  const targets = ["delivered", "later", "dead"] as const;
  const deliveries = targets.map((target) => ({
    ...{ orgId: ORG, target, messageId: "msg_1", body: "{}", dueAtMs: 1 },
  }));
  await db.transaction((connection) => runOn(connection, deliveries.map(deliveryInsert)));
  for (const kind of targets) {
    const taken = await webhooks.take(kind, 10, { nowMs: 2, leaseUntilMs: 3 });
    for (const delivery of taken) {
      await webhooks.settle(delivery, { kind, atMs: 4, dueAtMs: 4, error: "no answer" });
    }
  }
  await webhooks.add(deliveries);
  const after = { atMs: 9, target: "later", messageId: "msg_1" };
  for (const filter of [
    {},
    { target: "later" },
    { status: "dead" },
    { status: "waiting" },
  ] as const) {
    await webhooks.list(ORG, filter, { limit: 2 });
    await webhooks.list(ORG, filter, { limit: 2, after });
  }
  await webhooks.retry(ORG, { targets }, { nowMs: 5, laterThanMs: 5 }, 10);
  await webhooks.purge(6);
}

async function useMemory(store: Store, url: string): Promise<void> {
  const { memory } = store;
  await memory.useModel({ name: "first", dimension: 2 });
  await memory.useModel({ name: "hash", dimension: 2 });
  const { modelId } = store.memorySource.options as IndexSourceOptions;
  await using db = new Database(url);
  await using signals = new Signals(db, { nodeId: "n", others: ["other"] }, silentLog);
  signals.memory([ORG]);
  const index = { add: () => Promise.resolve(), remove: () => Promise.resolve() };
  const parts = { db, signals, log: silentLog, modelId, pollMs: 5 };
  await using _following = await MemoryFollower.start(parts, index);
  const [one, two, three] = [newEntry(), newEntry(), newEntry()];
  await memory.addEntries([one, two, three]);
  const ids = [one.entry.entryId];
  await memory.entriesById(ids, ORG);
  await memory.entriesById(ids);
  await memory.countEntries(ORG);
  await memory.hasEntries();
  await memory.listEntries(ORG, {}, { limit: 1, after: one.entry });
  const source = openIndexSource({ url, modelId });
  for await (const _page of source.entries()) break;
  await source.vectors(ids, ORG);
  await source.vectors(ids);
  await source.matching({}, ORG);
  await source.matching({}, undefined);
  await source.textMatches({ text: "word", limit: 1, orgId: ORG });
  await source.textMatches({ text: "word", limit: 1 });
  await source.close();
  await memory.deleteEntry(ORG, one.entry.entryId);
  await memory.deleteSession(ORG, "s", 1);
  await memory.deleteExpired(ORG, { beforeMs: Date.now() }, 10);
  await memory.addEntries([newEntry()]);
  await using reembedding = await PostgresReembedding.open(url);
  const model = { name: "other", dimension: 2 };
  await reembedding.begin(model);
  for await (const [entry] of reembedding.entriesWithout(model, 10, () => undefined)) {
    if (entry !== undefined) await reembedding.addVectors(model, [embed(entry)]);
  }
  await reembedding.activate(model, () => Promise.resolve([]));
  await reembedding.deleteOtherVectors(model, 10);
  await reembedding.activate({ name: "hash", dimension: 2 }, (entries) =>
    Promise.resolve(entries.map(embed)),
  );
}

async function usePlans({ plans, toolCalls, memory }: Store, url: string): Promise<void> {
  const [call] = await recordToolCalls(plans, [{ orgId: ORG }, { orgId: ORG }]);
  const ref = { orgId: ORG, planId: call?.planId ?? "" };
  const created = await createPlan(plans);
  await createPlan(plans);
  const source = await plans.loadPlan(ref);
  await createPlan(plans, {
    steps: forkedSteps(source.prepared),
    fork: forkOrigin(source, undefined),
    idempotency: { key: "fork", requestHash: "hash" },
  });
  const claim = await plans.claimStep({ ...created, stepId: RECORDED_STEP.id }, "owner");
  if (claim.kind === "claimed") {
    await plans.renewLease(
      { ...created, stepId: RECORDED_STEP.id, attempt: claim.attempt },
      "owner",
    );
  }
  await plans.listPlans(ORG, {}, { limit: 1 });
  const submitter = { userId: undefined, agentId: "agent" };
  await plans.listPlans(ORG, { submitter }, { limit: 1 });
  await plans.listPlans(ORG, { submitter, status: "running" }, { limit: 1 });
  await plans.findPlan(ref);
  await plans.readEvents(ref, 0, 10);
  await swept(plans);
  await using db = new Database(url);
  const node = {
    nodeId: randomUUID(),
    others: [],
    alive: () => Promise.resolve(new Set<string>()),
    buryTheGone: () => Promise.resolve(),
  };
  const queries = new PlanQueries(db, node);
  await queries.result(ref, 1);
  await queries.submitterOf(ref);
  await toolCalls.replay();
  await memory.toolCalls.waiting(ORG);
  await memory.toolCalls.waiting();
  await memory.toolCalls.done(await memory.toolCalls.take(1));
}

/** Creates a plan under a constant idempotency key. @param more members that differ. */
async function createPlan(plans: Store["plans"], more: Partial<NewPlan> = {}): Promise<PlanRef> {
  const ref = { orgId: ORG, planId: randomUUID() };
  await plans.createPlan({
    ref,
    sessionId: "s",
    name: "plan",
    description: "",
    steps: [RECORDED_STEP],
    createdAtMs: 1,
    deadlineMs: Number.MAX_SAFE_INTEGER,
    idempotency: { key: "once", requestHash: "hash" },
    ...more,
  });
  return ref;
}

async function useApprovals({ plans, approvals }: Store): Promise<void> {
  const ref = await createPlan(plans, {
    idempotency: { key: "approvals", requestHash: "hash" },
  });
  const stepRef = { ...ref, stepId: RECORDED_STEP.id };
  const approval = sampleApproval();
  await plans.claimStep(stepRef, "owner");
  const outcome = { kind: "awaiting_approval", approval, subject: SAMPLE_SUBJECT } as const;
  await plans.finishStep({ ...stepRef, attempt: 1 }, outcome, undefined);
  const by = { kind: "person", userId: "bob", roles: ["approver"] } as const;
  const { approvalId, digest } = approval;
  await plans.decideApproval(ref, approvalId, { decision: "approve", digest, by });
  await approvals.find(ORG, approvalId);
  await approvals.standing(ORG, "shape", 1);
  const operation = {
    ...sampleApproval({ approvalId: randomUUID() }),
    ...{ orgId: ORG, planId: OPERATION_PLAN_ID, stepId: digest, sessionId: "" },
    subject: SAMPLE_SUBJECT,
  };
  await approvals.put(operation);
  await approvals.put({ ...operation, status: "used" }, operation);
  await approvals.ofOperation(ORG, digest);
  await approvals.revoke(ORG, approvalId, { by: "bob", atMs: 1 });
  const { planId } = ref;
  for (const status of [undefined, "pending", "expired"] as const) {
    await approvals.list(ORG, { status, planId }, { limit: 1, cursor: approvalId }, 0);
  }
}

async function useUsage({ usage, reservations }: Store): Promise<void> {
  await usage.budgets.save(ORG, BUDGET);
  reservations?.refresh(ORG);
  const call = { eventId: randomUUID(), orgId: ORG, sessionId: "s", ormModel: undefined };
  await reservations?.reserve({ ...call, toolName: "sql", intent: "admin" });
  await reservations?.release(ORG, call.eventId);
  await usage.recording.recordPending(10);
  await usage.recording.recordExternal(ORG, () => [EVENT]);
  const ended = { ...PRICE, untilMs: 10 };
  await usage.prices.change(ORG, () => ({ added: PRICE, ended: undefined }));
  await usage.prices.change(ORG, () => ({ added: { ...PRICE, id: "p2", fromMs: 10 }, ended }));
  const rows = await rowsBetween(usage, ORG, ALL, 10);
  const after = rows[0]?.event;
  if (after !== undefined) await rowsBetween(usage, ORG, { ...ALL, after }, 10);
  const correction = { id: randomUUID(), priceId: undefined, difference: 1n, createdAtMs: 1 };
  await usage.ledgers.exclusively(ORG, async (ledger) => {
    await ledger.prices(ORG);
    for (const { event } of rows.slice(0, 1)) {
      await ledger.correct(ORG, [{ event, adjustment: { ...correction, eventId: event.id } }]);
    }
  });
  await usage.reports.days(ORG, ALL);
  await usage.reports.totals(ORG, "tool", [{ grain: "day", ...ALL }]);
  await usage.reports.heatMap(ORG);
  await usage.reports.detailFromMs(ORG);
  await usage.reports.organizationTotals({ ...ALL, limit: 10 });
  await usage.reports.organizationTotals({ ...ALL, limit: 10, after: ORG });
  await usage.reports.totalsIn(ORG, { sessionId: "s", fromMs: 0, untilMs: undefined });
  await usage.reports.totalsIn(ORG, { sessionId: undefined, fromMs: 0, untilMs: undefined });
  await usage.ledgers.exclusively(ORG, async (ledger) =>
    ledger.replaceTotals(await ledger.storedTotals(ORG)),
  );
  await usage.budgets.delete(ORG, BUDGET.id);
}

async function useState({ stateOrigin: origin }: Store): Promise<void> {
  if (origin === undefined) return;
  await origin.send(ORG, new Map([[HASH, new Uint8Array(9)]]));
  await origin.move(ORG, 0, [{ name: "heads/main", expected: undefined, next: HASH }], new Map());
  await origin.refs(ORG);
  await origin.blocks(ORG, [HASH]);
  await origin.has(ORG, [HASH]);
  await origin.due(0);
  await origin.claimCollection(ORG);
  await origin.oldBlocks(ORG, 0, undefined, 10);
  await origin.sweep(ORG, 0, 0, [HASH]);
  for (const isDone of [true, false]) await origin.endCollection(ORG, isDone);
  await origin.erase(ORG, 1);
}

/** After a write with an unknown outcome, the store reads its rows. */
async function useDoubts(store: Store, proxy: DoubtfulProxy): Promise<void> {
  const { plans, usage, stateOrigin } = store;
  proxy.doubtNext(/steward_append/);
  await recordToolCalls(plans, [{ orgId: ORG }]);
  proxy.doubtNext(/^COMMIT$/);
  await usage.recording.recordExternal(ORG, () => [
    { ...EVENT, id: randomUUID(), sourceEventId: "2" },
  ]);
  proxy.doubtNext(/steward_move_state_refs/);
  const swept = (await stateOrigin?.refs(ORG))?.swept ?? 0;
  await stateOrigin?.move(ORG, swept, [{ name: "t", expected: undefined, next: HASH }], new Map());
}

async function useOthers({ apiKeys, browserSessions, policies, customers }: Store): Promise<void> {
  const put = { orgId: ORG, version: 1, text: "//", changedBy: "ada", changedAtMs: 1 };
  const fact = { orgId: ORG, atMs: 1, kind: "policies.put", subject: "", detail: {} };
  await policies.put(put, new RecordedOperation(fact));
  await policies.latest(ORG);
  await customers.bind(ORG, "cus");
  await customers.rebind(randomUUID(), "cus");
  await customers.customerOf(ORG);
  await customers.organizationOf("cus");
  await apiKeys.add(API_KEY);
  await apiKeys.find(API_KEY.keyId);
  await apiKeys.list(ORG, 1);
  await apiKeys.rotate(API_KEY, "b".repeat(64), 1);
  await apiKeys.recordUses([{ orgId: ORG, keyId: API_KEY.keyId, usedAtMs: 1 }]);
  await apiKeys.revoke(ORG, API_KEY.keyId, 1);
  const session = {
    ...{ orgId: ORG, idHash: "c".repeat(64), owner: "ada" },
    proof: { kind: "apiKey", keyId: "k", secretHash: "d".repeat(64) },
    ...{ createdAtMs: 1, lastUsedAtMs: 1, expiresAtMs: 2 },
  } as const;
  await browserSessions.add(session, 1);
  await browserSessions.find(session.idHash);
  await browserSessions.recordUse(session, 2);
  await browserSessions.remove(session);
}

async function useRetention(store: Store): Promise<void> {
  const { retention, expired, plans, usage, memory, audit } = store;
  const version = { orgId: ORG, version: 1, periods: { plans: 1 }, changedBy: "", changedAtMs: 1 };
  await retention.put(version);
  await retention.latest(ORG);
  const hold = { orgId: ORG, reason: "case", placedBy: "", placedAtMs: 1 };
  const holdId = randomUUID();
  await retention.placeHold({ ...hold, holdId });
  await retention.holds(ORG);
  await retention.liftHold(ORG, holdId);
  const page = { beforeMs: Number.MAX_SAFE_INTEGER, limit: 10 };
  await expired.nextOrganization(undefined);
  await expired.deleteIdempotencyKeys(ORG, page);
  await recordToolCalls(plans, [{ orgId: ORG }]);
  await usage.recording.recordPending(100);
  await memory.toolCalls.done(await memory.toolCalls.take(100));
  await appendAudit(audit.sequence);
  await expired.deletePlans(ORG, page);
  while (await expired.deleteLogs(ORG, 100));
  await expired.deleteUsageDetail(ORG, Number.MAX_SAFE_INTEGER, 10);
  await useErasures(store);
  await useMeter(store);
}

async function useMeter({ meter }: Store): Promise<void> {
  for (let place: MeterPlace | undefined = { table: 0 }; place !== undefined;) {
    place = (await meter.page(ORG, place)).next;
  }
}

async function useErasures(store: Store): Promise<void> {
  const { erasures, erased, erasedPlanNames, usage } = store;
  await plantDecisions(store, ORG, "s");
  await usage.recording.recordExternal(ORG, () => [
    externalSample({ orgId: ORG, occurredAtMs: 1, sessionId: "s" }),
  ]);
  for (const scope of ERASURE_SCOPES) {
    const erasure: Erasure = {
      ...{ orgId: ORG, erasureId: randomUUID(), scope, subject: "s", requestedBy: "" },
      ...{ requestedAtMs: Date.now(), subjectDigest: "" },
      counts: { plans: 0, entries: 0, usage: 0 },
    };
    await erasures.begin(erasure);
    await erased.estimate(erasure);
    await erased.plansInScope(erasure, { untilMs: 0, limit: 1 });
    await erased.entriesOfPlans(ORG, [randomUUID()]);
    await erased.erasePlans(erasure, [randomUUID()]);
    await erasures.count(erasure, erasure.counts);
    await erasedPlanNames.erase(erasure, { limit: 1000 });
    await erased.eraseNames(erasure);
    await erasures.unfinished();
    await erasures.finish(erasure, 1);
  }
  await erasures.list(ORG, 10);
}

async function useAudit({
  audit: { sequence, archive, exported, cosignatures },
}: Store): Promise<void> {
  await sequence.add([
    { orgId: ORG, atMs: 1, kind: "test.fact", subject: "s", detail: {}, personal: { a: "b" } },
  ]);
  await appendAudit(sequence);
  const filter = { orgId: ORG, kind: "test", subject: "s", fromMs: 0, untilMs: 2 };
  await archive.list(filter, { limit: 1, bytesMax: 1 });
  await archive.record(ORG, 0);
  await archive.entries(0, 1);
  await archive.tiles([{ level: 0, index: 0, width: 1 }]);
  await archive.checkpoint();
  await archive.erase(ORG, { untilMs: 1, subjects: ["s"], text: "b" }, 1);
  const claim = { holder: "h", from: await exported.position("file:/audit.jsonl") };
  await exported.records(claim.from, 1);
  await exported.take("file:/audit.jsonl", claim, 1);
  await exported.advance("file:/audit.jsonl", claim, 1);
  await exported.release("file:/audit.jsonl", "h");
  await cosignatures.put({ witness: "w", size: 1, note: "" });
  await cosignatures.list();
}

/** Operations between nodes. */
async function useNodes(url: string): Promise<void> {
  await using db = new Database(url);
  const node = await NodeLease.join({ db, ids: systemIds(systemClock), log: silentLog });
  await using signals = new Signals(db, node, silentLog);
  const handover = new PostgresPlanHandover(db, signals, node);
  const ref: PlanRef = { orgId: ORG, planId: randomUUID() };
  await handover.request(node.nodeId, ref);
  await handover.requested();
  await handover.release(node.nodeId, ref);
  await node.isAlive(randomUUID());
  // Simulates the row of a dead node, with an expired lease.
  const gone = randomUUID();
  await db.query("INSERT INTO nodes (org_id, node_id, lease_until_ms) VALUES ($1, $2, 0)", [
    NIL_ORG_ID,
    gone,
  ]);
  const directory = mkdtempSync(join(tmpdir(), "steward-node-"));
  const file = new NodeFile(join(directory, "node.json"), silentLog);
  file.name(gone);
  await using _next = await NodeLease.join({
    db,
    ids: systemIds(systemClock),
    log: silentLog,
    file,
  });
  await node[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
}

function newEntry(): EmbeddedEntry {
  return embed({
    orgId: ORG,
    entryId: randomUUID(),
    sessionId: "s",
    content: "{}",
    createdAtMs: 1,
  });
}

function embed(entry: EmbeddedEntry["entry"]): EmbeddedEntry {
  return embeddedEntry(entry, Float32Array.of(1, 1));
}

const BUDGET = budgetSample();

const PRICE = priceSample();

const EVENT = externalSample({ orgId: ORG, occurredAtMs: 1_000, intent: "admin", cost: 5n });

const API_KEY: ApiKey = {
  orgId: ORG,
  keyId: "0".repeat(24),
  environment: "live",
  name: "key",
  roles: [],
  permissions: [],
  scopes: [],
  createdAtMs: 1,
  secretHash: "a".repeat(64),
};
