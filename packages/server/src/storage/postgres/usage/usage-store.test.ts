import type { TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { recordToolCalls } from "../../testing/record-tool-calls.js";
import { usageStoreBattery } from "../../testing/usage-battery.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

// The battery checks its store once more after each test.
const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((each) => each[Symbol.asyncDispose]())));
let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
  databases.push(database);
});

usageStoreBattery("PostgreSQL", () => openTestStore(database.url));

describe("the table usage_events", () => {
  it("has the columns of Contract §2.9 for whoever reads it with SQL", async () => {
    await using store = await openTestStore(database.url);
    await recordToolCalls(store.plans, [
      {
        orgId: "11111111-1111-4111-8111-111111111111",
        eventId: "33333333-3333-4333-8333-333333333333",
        intent: "write_update",
        finishedAtMs: Date.parse("2026-01-05T12:00:00.007Z"),
      },
    ]);
    await store.usage.recording.recordPending(10);
    const columns = `id, org_id, session_id, tool_name, intent, aau_weight, orm_model, cost_usd,
      created_at`;
    expect(await database.query(`SELECT ${columns} FROM usage_events`)).toEqual([
      {
        id: "33333333-3333-4333-8333-333333333333",
        org_id: "11111111-1111-4111-8111-111111111111",
        session_id: "session",
        tool_name: "sql",
        intent: "write_update",
        aau_weight: 3,
        orm_model: null,
        cost_usd: 0,
        created_at: new Date("2026-01-05T12:00:00.007Z"),
      },
    ]);
  });
});
