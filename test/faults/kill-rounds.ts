import { freshDatabase } from "@steward/test-postgres";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { EmbeddingServer } from "../conformance/parties/embedding-server.js";
import { Auditor } from "./auditor.js";
import { NOTHING_REPORTED, reportUsage, setFirstPrice, setLastPrice } from "./biller.js";
import { createLedger } from "./ledger.js";
import { expectMemoryTruth } from "./memory-truth.js";
import { driverOf } from "./plan-clients.js";
import { execute, type Acknowledged } from "./plan-driver.js";
import { expectLedgerTruth, expectPlanTruth, untilCaughtUp } from "./plan-truth.js";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { ServerProcess } from "./server-process.js";
import { postgresView, sqliteView } from "./store-view.js";
import { expectUsageTruth } from "./usage-truth.js";
import { WebhookReceiver } from "./webhook-receiver.js";

/** The engine of the store. */
export type Engine = "SQLite" | "PostgreSQL";

/** Components of a vector. */
const DIMENSION = 8;
/** Concurrent clients that drive plans. */
const CLIENTS = 6;
/**
 * The server is killed at most this long after it became ready, in ms: often before its first
 * statement has run, and often enough after it that every plan ends.
 */
const KILL_WITHIN_MS = 700;

/**
 * Kills the server `rounds` times at random while clients drive plans of reads and writes, and revise and fork them
 * under way, one client reports usage and prices it again, and its embedding provider fails and recovers. Then it
 * checks that every acknowledged result and change is true, that no write was applied twice, that every log
 * has no gaps, every tool call is recorded once with one usage row and one memory entry, every
 * completed plan was told to the receiver of webhooks, every total is the sum of its rows, and the audit log has what was
 * acknowledged, once, in a tree that grows from every checkpoint of before a kill.
 */
export async function killRounds(engine: Engine, rounds: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), "steward-kill-"));
  const target = join(dir, "target.db");
  await using database = engine === "PostgreSQL" ? await freshDatabase() : undefined;
  const storeUrl = database?.url ?? `sqlite:${join(dir, "store.db")}`;
  const view =
    database === undefined ? sqliteView(join(dir, "store.db")) : postgresView(database.url);
  createLedger(target);
  const acknowledged: Acknowledged[] = [];
  const auditor = new Auditor(dir, view);
  let reported = NOTHING_REPORTED;
  {
    await using embedding = await EmbeddingServer.start(DIMENSION);
    const toolsFile = join(dir, "tools.json");
    await using receiver = await WebhookReceiver.listen(toolsFile);
    await using server = await ServerProcess.start(
      {
        ...embedding.settings,
        SERVICE_DATABASE_URL: storeUrl,
        SERVICE_DATA_DIR: dir,
        SERVICE_DATA_SOURCES: `default=sqlite:${target}`,
        SERVICE_TOOLS_FILE: toolsFile,
        SERVICE_LOG_LEVEL: "warn",
      },
      { isShortLived: true },
    );
    await setFirstPrice(server.url);
    let stopped = false;
    const clients = Promise.all([
      ...Array.from({ length: CLIENTS }, async (_each, client) => {
        const drive = driverOf(client);
        while (!stopped) acknowledged.push(...(await drive(server.url)));
      }),
      reportUsage(server.url, () => stopped).then((usage) => {
        reported = usage;
      }),
    ]);
    // Awaited below; a client that fails earlier must not cause an unhandled rejection.
    clients.catch(() => undefined);
    for (let round = 0; round < rounds; round += 1) {
      await delay(random() * KILL_WITHIN_MS);
      await auditor.keepCheckpoint(server.url);
      const known = [...acknowledged];
      await server.kill();
      embedding.misbehaviour = random() < 0.5 ? undefined : { status: 503, body: "" };
      await server.restart();
      await auditor.expectTruth(server.url, known);
    }
    embedding.misbehaviour = undefined;
    stopped = true;
    await clients;
    await expectReplays(server.url, acknowledged);
    await setLastPrice(server.url);
    await untilCaughtUp(view);
    await receiver.expectTruth(view);
    await auditor.expectWholeTruth(server.url, acknowledged);
    await auditor.expectVerified(server.url);
    auditor.expectOperations("usage.report", reported.requestIds);
    expect(await server.stop()).toBe(0);
  }
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(reported.calls).toBeGreaterThan(0);
  await expectPlanTruth(view, acknowledged);
  expectLedgerTruth(target, acknowledged);
  await expectUsageTruth(view, reported.calls);
  await expectMemoryTruth(view, DIMENSION);
  rmSync(dir, { recursive: true });
}

/** The service must still give every answer that a client got. */
async function expectReplays(url: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  for (const { planId, outputs } of acknowledged.slice(-20)) {
    for (const [stepId, output] of outputs) {
      expect(await execute(url, planId, stepId)).toBe(output);
    }
  }
}
