import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { seededRandom, withSeed } from "@steward/kernel/testing/seeded-random.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { appendAudit } from "../../testing/append-audit.js";
import { recordToolCalls, RECORDED_STEP } from "../../testing/record-tool-calls.js";
import { openConnection } from "../connection.js";
import { openSqliteStore } from "../store.js";

const ORG = "11111111-1111-4111-8111-111111111111";
/** Plans of each session. */
const PLANS = 60;
/** Kills; then the last process may finish. */
const KILLS = 6;
/** Longest time that a process has before it is killed, in ms. */
const LIFE_MS = 120;

it("a sweep and an erasure that are killed at random end, and lose nothing that stays", () =>
  withSeed(killAtRandom));

async function killAtRandom(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const directory = mkdtempSync(join(tmpdir(), "steward-kill-"));
  const path = join(directory, "s.db");
  try {
    const kept = await fill(path);
    for (let kill = 0; kill < KILLS; kill += 1) await drive(path, random() * LIFE_MS);
    expect(await drive(path, undefined)).toContain("done");
    await expectRest(path, kept);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Plans that a hold keeps, plans to erase, and plans that expire. @returns the first. */
async function fill(path: string): Promise<readonly string[]> {
  await using store = openSqliteStore(path, systemClock, silentTelemetry);
  const of = (sessionId: string) =>
    recordToolCalls(
      store.plans,
      Array.from({ length: PLANS }, () => ({ orgId: ORG, sessionId, output: '[{"a":1}]' })),
    );
  const kept = await of("kept");
  await of("erased");
  await of("expired");
  await store.usage.recording.recordPending(1000);
  await store.memory.toolCalls.done(await store.memory.toolCalls.take(1000));
  await appendAudit(store.audit.sequence);
  const change = { orgId: ORG, placedAtMs: 1, placedBy: "", reason: "case" };
  await store.retention.placeHold({ ...change, holdId: randomUUID(), sessionId: "kept" });
  await store.erasures.begin({
    ...{ orgId: ORG, erasureId: randomUUID(), scope: "session", subject: "erased" },
    ...{ requestedBy: "", requestedAtMs: Date.now(), subjectDigest: "" },
    counts: { plans: 0, entries: 0, usage: 0 },
  });
  return kept.map(({ planId }) => planId);
}

/** Runs a driver. @param lifeMs absent: until it ends. @returns what it printed. */
async function drive(path: string, lifeMs: number | undefined): Promise<string> {
  const driver = new URL("../testing/retention-driver-child.js", import.meta.url);
  const child = spawn(process.execPath, [fileURLToPath(driver), path, "2"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  if (lifeMs !== undefined) {
    await once(child.stdout, "data");
    await pause(lifeMs);
    child.kill("SIGKILL");
  }
  await ended;
  return printed;
}

async function expectRest(path: string, kept: readonly string[]): Promise<void> {
  await using store = openSqliteStore(path, systemClock, silentTelemetry);
  for (const planId of kept) {
    const ref = { orgId: ORG, planId };
    expect((await store.plans.findPlan(ref))?.status).toBe("completed");
    expect((await store.plans.readEvents(ref, 0, 10)).length).toBeGreaterThan(3);
    const claim = await store.plans.claimStep({ ...ref, stepId: RECORDED_STEP.id }, "owner");
    expect(claim).toMatchObject({ kind: "finished", execution: { replayed: true } });
  }
  const [receipt] = await store.erasures.list(ORG, 1);
  expect(receipt?.finishedAtMs).toBeDefined();
  // Its plans may have expired before the erasure reached them.
  expect(receipt?.counts.plans).toBeLessThanOrEqual(PLANS);
  using db = openConnection(path, true);
  const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get();
  for (const table of ["plans", "plan_definitions"]) expect(count(table)).toEqual({ n: PLANS });
  expect(count("plan_removals")).toEqual({ n: 0 });
  expect(db.prepare("SELECT count(DISTINCT plan_id) AS n FROM plan_changes").get()).toEqual({
    n: PLANS,
  });
}
