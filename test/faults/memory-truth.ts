import type { DatabaseSync } from "@photostructure/sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";

type Database = InstanceType<typeof DatabaseSync>;

/** How long the hook may take for what has gathered while it could not work, in ms. */
const CATCH_UP_MS = 60_000;

/** Waits until every tool call has its entry. */
export async function untilRemembered(url: string): Promise<void> {
  const giveUpAt = performance.now() + CATCH_UP_MS;
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (/^steward_memory_waiting_calls 0$/m.test(metrics)) return;
    if (performance.now() > giveUpAt) throw new Error("tool calls still wait for their entry");
    await delay(50);
  }
}

/** Each tool call is one memory entry with one vector and one code, and nothing else is. */
export function expectMemoryTruth(store: Database, dimension: number): void {
  const all = (sql: string) => store.prepare(sql).all() as Record<string, unknown>[];
  expect(
    all(
      "SELECT substr(event_id, 16) FROM tool_calls EXCEPT SELECT substr(entry_id, 16) FROM memory_entries",
    ),
  ).toEqual([]);
  const [calls] = all("SELECT count(*) AS n FROM tool_calls");
  for (const table of ["memory_entries", "memory_entry_embeddings", "memory_codes"]) {
    const counted = all(`SELECT count(*) AS n, count(DISTINCT entry_id) AS d FROM ${table}`);
    expect(counted).toEqual([{ n: calls?.["n"], d: calls?.["n"] }]);
  }
  const odd = `SELECT entry_id FROM memory_entry_embeddings WHERE length(embedding) <> ${String(4 * dimension)}`;
  expect(all(odd)).toEqual([]);
}
