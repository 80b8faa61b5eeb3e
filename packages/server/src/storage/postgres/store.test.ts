import type { TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { planStoreBattery } from "../testing/plan-store-battery.js";
import { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { onTime, ownDatabaseClock } from "./testing/hand-clock.js";
import { openTestStore } from "./testing/open-store.js";
import { storeDatabase } from "./testing/store-database.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await storeDatabase();
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
});

planStoreBattery("PostgreSQL", async (clock) => {
  await using db = new Database(database.url);
  await migrate(db);
  await ownDatabaseClock(database, clock);
  const store = await openTestStore(database.url);
  return {
    plans: onTime(store.plans, database, clock),
    approvals: store.approvals,
    toolCalls: store.toolCalls,
    usage: store.usage,
    memory: store.memory,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
});
