import type { TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolCallRecord } from "../../../kernel/tool-call.js";
import { toolCallEntryId } from "../../../memory/index.js";
import type { Store } from "../../store.js";
import { recordToolCalls } from "../../testing/record-tool-calls.js";
import { Database } from "../database.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";
import { acknowledge } from "../tool-calls/unread-calls.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const VECTOR = Float32Array.of(1, 0);

let database: TestDatabase;
let store: Store;
let db: Database;
let records: readonly ToolCallRecord[];
beforeEach(async () => {
  database = await storeDatabase();
  store = await openTestStore(database.url);
  db = new Database(database.url);
  await store.memory.useModel({ name: "two", dimension: 2 });
  records = await recordToolCalls(store.plans, [
    { orgId: ORG, finishedAtMs: 1 },
    { orgId: ORG, finishedAtMs: 2 },
  ]);
});
afterEach(async () => {
  await db[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

describe("tool calls that become entries", () => {
  it("lock the rows of their plans only after their texts are stored", async () => {
    const taken = await store.memory.takeCalls(10);
    let remembered: Promise<unknown> | undefined;
    await db.transaction(async (connection) => {
      // The texts wait for this session until the transaction ends.
      await connection.query(
        "INSERT INTO sessions (org_id, session_id, created_at_ms) VALUES ($1, 'session', 0)",
        [ORG],
      );
      remembered = store.memory.remember(taken, [VECTOR, VECTOR]);
      await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
      const free = await database.query("SELECT plan_id FROM plans FOR UPDATE NOWAIT");
      expect(free).toHaveLength(2);
    });
    expect(await remembered).toHaveLength(2);
    expect(await storedEntries()).toEqual(records.map(toolCallEntryId));
  });

  it("are stored without those of a plan whose calls another node has remembered first", async () => {
    const taken = await store.memory.takeCalls(10);
    const [first, second] = records;
    await moved(first);
    await store.memory.remember(taken, [VECTOR, VECTOR]);
    expect(await storedEntries()).toEqual(second && [toolCallEntryId(second)]);
    expect(await store.memory.toolCalls.waiting()).toBe(0);
  });
});

/** Moves the memory's position behind a call, as the node does that stores its entry. */
async function moved(record: ToolCallRecord | undefined): Promise<void> {
  const ref = { orgId: ORG, planId: record?.planId ?? "" };
  const [last] = await db.query<{ readonly through: number }>(
    "SELECT max(sequence) AS through FROM plan_changes WHERE org_id = $1 AND plan_id = $2",
    [ORG, ref.planId],
  );
  const part = { ref, from: 0, through: last?.through ?? 0 };
  await db.transaction((connection) => acknowledge(connection, "memory", [part]));
}

/** The entries in the order of their calls. */
async function storedEntries(): Promise<readonly string[]> {
  const rows = await db.query<{ readonly entry_id: string }>(
    "SELECT entry_id FROM memory_entries WHERE org_id = $1 ORDER BY created_at_ms",
    [ORG],
  );
  return rows.map((row) => row.entry_id);
}

/** Number of connections that wait for a lock of another one. */
async function waiting(): Promise<number> {
  const [row] = await database.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return Number(row?.["n"]);
}
