import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "vitest";
import { EmbeddingServer } from "../conformance/embedding-server.js";
import { reportUsage, setFirstPrice, setLastPrice } from "./biller.js";
import { expectMemoryTruth, untilRemembered } from "./memory-truth.js";
import { createLedger } from "./ledger.js";
import { drivePlan, execute, STEPS, type Acknowledged } from "./plan-driver.js";
import { seededRandom } from "./random.js";
import { ServerProcess } from "./server-process.js";
import { expectUsageTruth } from "./usage-truth.js";

/** Components of a vector. */
const DIMENSION = 8;
/** Clients that drive plans at once. */
const CLIENTS = 6;
/**
 * The server is killed at a moment up to this long after it became ready, in ms: often before its
 * first statement has run, and often enough after it, so that every plan comes to its end.
 */
const KILL_WITHIN_MS = 700;

/**
 * Kills the server at random `rounds` times under clients that drive plans of reads and writes and
 * one that reports usage and prices it anew, its embedding provider up and down, then checks that
 * everything acknowledged is true, that no write was applied twice, that every log is gapless, every
 * tool call is recorded once and is one usage row and one memory entry, and every total is what the
 * rows add up to.
 */
export async function killRounds(rounds: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), "steward-kill-"));
  const target = join(dir, "target.db");
  const store = join(dir, "store.db");
  createLedger(target);
  const acknowledged: Acknowledged[] = [];
  let reported = 0;
  {
    await using embedding = await EmbeddingServer.start(DIMENSION);
    await using server = await ServerProcess.start({
      ...embedding.settings,
      SERVICE_DATABASE_URL: `sqlite:${store}`,
      SERVICE_DATA_DIR: dir,
      SERVICE_DATA_SOURCES: `default=sqlite:${target}`,
      SERVICE_LOG_LEVEL: "warn",
    });
    await setFirstPrice(server.url);
    let stopped = false;
    const clients = Promise.all([
      ...Array.from({ length: CLIENTS }, async () => {
        while (!stopped) acknowledged.push(await drivePlan(server.url));
      }),
      reportUsage(server.url, () => stopped).then((count) => {
        reported = count;
      }),
    ]);
    // Awaited below; a client that fails before then is not a rejection that nobody handles.
    clients.catch(() => undefined);
    for (let round = 0; round < rounds; round += 1) {
      await delay(random() * KILL_WITHIN_MS);
      await server.kill();
      embedding.misbehaviour = random() < 0.5 ? undefined : { status: 503, body: "" };
      await server.restart();
    }
    embedding.misbehaviour = undefined;
    stopped = true;
    await clients;
    await expectReplays(server.url, acknowledged);
    await setLastPrice(server.url);
    await untilRemembered(server.url);
    expect(await server.stop()).toBe(0);
  }
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(reported).toBeGreaterThan(0);
  expectTruth(store, target, acknowledged, reported);
  rmSync(dir, { recursive: true });
}

/** Every answer a client got is what the service still says. */
async function expectReplays(url: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  for (const { planId, outputs } of acknowledged.slice(-20)) {
    for (const [stepId, output] of outputs) {
      expect(await execute(url, planId, stepId)).toBe(output);
    }
  }
}

function expectTruth(
  storePath: string,
  targetPath: string,
  acknowledged: readonly Acknowledged[],
  reported: number,
): void {
  const store = new DatabaseSync(storePath);
  const target = new DatabaseSync(targetPath);
  const all = (db: typeof store, sql: string) => db.prepare(sql).all() as Record<string, unknown>[];

  const plans = all(store, "SELECT plan_id, status FROM plans");
  expect(plans.filter((plan) => plan["status"] !== "completed")).toEqual([]);
  expect(new Set(plans.map((plan) => plan["plan_id"]))).toEqual(
    new Set(acknowledged.map((plan) => plan.planId)),
  );

  // Each plan inserted one row and raised its counter once: no write lost, none applied twice.
  expect(all(target, "SELECT count(*) AS n FROM ledger")).toEqual([{ n: acknowledged.length }]);
  expect(all(target, "SELECT tag FROM ledger WHERE hits <> 1")).toEqual([]);

  const outputs = new Map(
    all(store, "SELECT plan_id || '/' || step_id AS k, output FROM plan_steps").map((row) => [
      row["k"],
      row["output"],
    ]),
  );
  for (const plan of acknowledged) {
    for (const [stepId, output] of plan.outputs) {
      expect(outputs.get(`${plan.planId}/${stepId}`)).toBe(output);
    }
  }

  const gaps =
    "SELECT plan_id FROM plan_events GROUP BY plan_id HAVING max(sequence) <> count(*) OR min(sequence) <> 1";
  expect(all(store, gaps)).toEqual([]);
  const executedOnce = `SELECT plan_id FROM plan_events WHERE event_type = 'PlanStepExecuted'
     GROUP BY plan_id HAVING count(*) <> ${String(STEPS.length)}`;
  expect(all(store, executedOnce)).toEqual([]);

  // One tool call for each step that was executed, none twice.
  expect(
    all(
      store,
      "SELECT count(*) AS n, count(DISTINCT plan_id || step_id) AS d, count(DISTINCT event_id) AS e FROM tool_calls",
    ),
  ).toEqual([
    {
      n: acknowledged.length * STEPS.length,
      d: acknowledged.length * STEPS.length,
      e: acknowledged.length * STEPS.length,
    },
  ]);
  expectUsageTruth(store, reported);
  expectMemoryTruth(store, DIMENSION);
  store.close();
  target.close();
}
