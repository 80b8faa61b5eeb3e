import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { memoryStoreBattery } from "../../testing/memory-store-battery.js";
import { reembeddingBattery } from "../../testing/reembedding-battery.js";
import { toolCallFeedBattery } from "../../testing/tool-call-feed-battery.js";
import { openConnection } from "../connection.js";
import { openIndexSource } from "./memory-index-source.js";
import { openSqliteStore } from "../store.js";

const root = mkdtempSync(join(tmpdir(), "steward-memory-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;
let path = "";
beforeEach(() => {
  files += 1;
  path = join(root, `${String(files)}.db`);
});

async function open() {
  const store = openSqliteStore(path, systemClock, silentTelemetry);
  return {
    memory: store.memory,
    reembedding: store.reembedding,
    plans: store.plans,
    openSource: () => openIndexSource({ path }),
    vectorCount,
    execute: (sql: string) => {
      using db = openConnection(path, false);
      db.exec(sql);
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function vectorCount(): Promise<number> {
  using db = openConnection(path, true);
  const row = db.prepare(
    "SELECT count(*) AS n FROM memory_vectors JOIN memory_codes USING (vector_key)",
  );
  return (row.get() as { n: number }).n;
}

memoryStoreBattery("SQLite", open);
reembeddingBattery("SQLite", open);
toolCallFeedBattery("SQLite", () =>
  Promise.resolve(openSqliteStore(path, systemClock, silentTelemetry)),
);
