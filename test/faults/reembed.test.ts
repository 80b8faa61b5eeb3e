import { freshDatabase } from "@steward/test-postgres";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { insist } from "./plan-driver.js";
import { seededRandom, testSeed } from "@steward/kernel/testing/seeded-random.js";
import { ServerProcess, STEWARD } from "./server-process.js";

/** Initial number of entries. */
const ENTRIES = 150;
/** How often the command is killed, each time later. */
const KILLS = 3;
/** Maximum increase of the time before the kill, in ms. */
const LATER_MS = 500;

it("changes a store to another model under its servers, however often the command is killed", async () => {
  const seed = testSeed();
  const random = seededRandom(seed);
  await using database = await freshDatabase();
  const dir = mkdtempSync(join(tmpdir(), "steward-reembed-"));
  const settings = (dimension: number): Record<string, string> => ({
    SERVICE_DATABASE_URL: database.url,
    SERVICE_DATA_DIR: dir,
    SERVICE_EMBEDDING_PROVIDER: "hash",
    SERVICE_EMBEDDING_DIMENSION: String(dimension),
    SERVICE_LOG_LEVEL: "error",
  });
  const remembered: string[] = [];
  {
    await using old = await ServerProcess.start(settings(8));
    while (remembered.length < ENTRIES) remembered.push(await remember(old.url));
    const adding = addUntilRefused(old.url, remembered);
    let killAfterMs = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      killAfterMs += random() * LATER_MS;
      await reembed(settings(16), killAfterMs);
    }
    expect(await reembed(settings(16)), `seed ${String(seed)}`).toBe(0);
    expect(await adding).toContain("come from hash@16 with 16 components now");
  }
  expect(
    await database.query(
      `SELECT model_id, is_active, count(*)::int AS n, count(DISTINCT entry_id)::int AS entries
         FROM memory_entry_embeddings LEFT JOIN memory_models USING (model_id) GROUP BY 1, 2`,
    ),
  ).toEqual([{ model_id: 2, is_active: true, n: remembered.length, entries: remembered.length }]);
  await using server = await ServerProcess.start(settings(16));
  const last = remembered.at(-1);
  const found = await insist(server.url, "/api/memory/search", { query: last, top_k: 1 });
  expect(found).toMatchObject({ data: [{ content: last, score: 1 }] });
  rmSync(dir, { recursive: true });
});

async function remember(url: string): Promise<string> {
  const content = JSON.stringify(`entry ${crypto.randomUUID()}`);
  await insist(url, "/api/memory/entries", { session_id: "s", content });
  return content;
}

/** @returns the server's error when it refuses entries. */
async function addUntilRefused(url: string, remembered: string[]): Promise<string> {
  for (;;) {
    const content = JSON.stringify(`entry ${crypto.randomUUID()}`);
    const response = await fetch(`${url}/api/memory/entries`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ session_id: "s", content }),
    });
    if (!response.ok) return response.text();
    remembered.push(content);
    await delay(2);
  }
}

/**
 * Runs the command, and kills it after a time. @returns its exit code; `null` when it was killed.
 */
async function reembed(
  env: Readonly<Record<string, string>>,
  killAfterMs?: number,
): Promise<number | null> {
  const child = spawn(process.execPath, [STEWARD, "memory", "reembed"], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (killAfterMs !== undefined) {
    await Promise.race([ended, delay(killAfterMs)]);
    child.kill("SIGKILL");
  }
  await ended;
  return child.exitCode;
}
