import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freshDatabase } from "@steward/test-postgres";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { expect } from "vitest";
import { Auditor } from "./auditor.js";
import { createLedger } from "./ledger.js";
import type { Engine } from "./kill-rounds.js";
import {
  driveApprovedPlan,
  driveGrantedPlan,
  GRANTS,
  putApprovalPolicy,
  WRITES,
} from "./approved-plan.js";
import type { Acknowledged } from "./plan-driver.js";
import { expectLedgerTruth, expectPlanTruth } from "./plan-truth.js";
import { ServerProcess } from "./server-process.js";
import { postgresView, sqliteView, type StoreView } from "./store-view.js";
import { WebhookReceiver } from "./webhook-receiver.js";

/** Concurrent clients, each with two approvers that race each other. */
const CLIENTS = 4;
/** The server is killed at most this long after it became ready, in ms. */
const KILL_WITHIN_MS = 900;

/**
 * Kills the server at random while agents' writes wait for approvers, are approved, revised, and run, and while
 * plans are approved as a whole, and approvals stand for those of later plans. Then
 * every write has run once, under an approval of its own present statement that somebody has given, every completed plan was
 * told to the receiver of webhooks, and the audit log has all of it, once, and the approval before the write.
 */
export async function approvalKillRounds(
  engine: Engine,
  rounds: number,
  seed: number,
): Promise<void> {
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), "steward-approval-kill-"));
  const target = join(dir, "target.db");
  await using database = engine === "PostgreSQL" ? await freshDatabase() : undefined;
  const storeUrl = database?.url ?? `sqlite:${join(dir, "store.db")}`;
  const view =
    database === undefined ? sqliteView(join(dir, "store.db")) : postgresView(database.url);
  createLedger(target);
  const acknowledged: Acknowledged[] = [];
  const granted: Record<keyof typeof GRANTS, string[]> = { wholePlan: [], standing: [] };
  const auditor = new Auditor(dir, view);
  {
    const toolsFile = join(dir, "tools.json");
    await using receiver = await WebhookReceiver.listen(toolsFile);
    await using server = await ServerProcess.start(
      {
        SERVICE_DATABASE_URL: storeUrl,
        SERVICE_DATA_DIR: dir,
        SERVICE_DATA_SOURCES: `default=sqlite:${target}`,
        SERVICE_TOOLS_FILE: toolsFile,
        SERVICE_LOG_LEVEL: "warn",
      },
      { isShortLived: true },
    );
    // Before the first kill: a change of policies whose answer is lost is refused when it is repeated.
    const orgId = randomUUID();
    const grantOrgIds = { wholePlan: randomUUID(), standing: randomUUID() };
    await putApprovalPolicy(server.url, orgId);
    await putApprovalPolicy(server.url, grantOrgIds.wholePlan, GRANTS.wholePlan);
    await putApprovalPolicy(server.url, grantOrgIds.standing, GRANTS.standing);
    let stopped = false;
    const granting = async (grant: keyof typeof GRANTS): Promise<void> => {
      const ownOrgId = grantOrgIds[grant];
      // The second plan is the first one for which an approval can stand.
      while (!stopped || granted[grant].length < 2) {
        const driven = await driveGrantedPlan(server.url, ownOrgId, grant);
        acknowledged.push(driven);
        granted[grant].push(driven.planId);
      }
    };
    const clients = Promise.all([
      ...Array.from({ length: CLIENTS }, async () => {
        while (!stopped) acknowledged.push(await driveApprovedPlan(server.url, orgId));
      }),
      ...[granting("wholePlan"), granting("standing")],
    ]);
    // Awaited below; a client that fails earlier must not cause an unhandled rejection.
    clients.catch(() => undefined);
    for (let round = 0; round < rounds; round += 1) {
      await delay(random() * KILL_WITHIN_MS);
      await auditor.keepCheckpoint(server.url);
      const known = [...acknowledged];
      await server.kill();
      await server.restart();
      await auditor.expectTruth(server.url, known);
    }
    stopped = true;
    await clients;
    await receiver.expectTruth(view);
    await auditor.expectWholeTruth(server.url, acknowledged);
    expect(await server.stop()).toBe(0);
  }
  await expectPlanTruth(view, acknowledged);
  expectLedgerTruth(target, acknowledged);
  await expectApprovalTruth(view, acknowledged);
  await expectGrantTruth(view, granted);
  rmSync(dir, { recursive: true });
}

/** Each write has one used approval, which a person who may has given; no other is left open. */
async function expectApprovalTruth(view: StoreView, plans: readonly Acknowledged[]): Promise<void> {
  const rows = await view.all("SELECT plan_id, step_id, status, approval FROM approvals");
  // Nothing runs under the approval of a whole plan.
  const used = rows.filter(
    ({ status, approval }) => status === "used" && storedOf(approval).covers === undefined,
  );
  expect(
    used.map(({ plan_id, step_id }) => `${String(plan_id)} ${String(step_id)}`).sort(),
  ).toEqual(plans.flatMap(({ planId }) => WRITES.map((stepId) => `${planId} ${stepId}`)).sort());
  expect(rows.filter(({ status }) => status !== "used" && status !== "void")).toEqual([]);
  for (const { approval } of used) {
    const { decisions } = storedOf(approval);
    expect(decisions.length).toBeGreaterThan(0);
    for (const { decision, approver } of decisions) {
      expect(decision).toBe("approve");
      expect(approver).not.toMatchObject({ userId: "alice" });
    }
  }
}

/**
 * Nobody was asked about a write that its plan's approval covers, nor, after the first plan, about one that a
 * standing approval covers: its own approval names the one that granted it, of the same plan or of the first one.
 */
async function expectGrantTruth(
  view: StoreView,
  granted: Readonly<Record<keyof typeof GRANTS, readonly string[]>>,
): Promise<void> {
  const rows = await view.all("SELECT plan_id, approval_id, approval FROM approvals");
  const stored = rows.map((row) => ({ ...storedOf(row["approval"]), planId: row["plan_id"] }));
  const planOf = new Map(stored.map(({ approvalId, planId }) => [approvalId, planId]));
  const [firstPlan, ...laterPlans] = granted.standing;
  for (const [plans, source] of [
    [granted.wholePlan, undefined],
    [laterPlans, firstPlan],
  ] as const) {
    for (const each of plans) {
      const own = stored.filter(
        ({ planId, status, covers }) =>
          planId === each && status === "used" && covers === undefined,
      );
      expect(own).toHaveLength(WRITES.length);
      expect(own.map(({ grantedBy = "" }) => planOf.get(grantedBy))).toEqual(
        WRITES.map(() => source ?? each),
      );
    }
  }
}

/** What the checks read of an approval. */
interface StoredApproval {
  readonly approvalId: string;
  readonly status: string;
  readonly decisions: readonly { readonly decision: string; readonly approver: object }[];
  readonly grantedBy?: string;
  readonly covers?: readonly object[];
}

function storedOf(approval: unknown): StoredApproval {
  return JSON.parse(String(approval)) as StoredApproval;
}
