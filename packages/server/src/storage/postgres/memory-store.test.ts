import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach } from "vitest";
import { memoryStoreBattery } from "../testing/memory-store-battery.js";
import { openIndexSource } from "./memory-index-source.js";
import { openTestStore } from "./testing/open-store.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
});

memoryStoreBattery("PostgreSQL", async () => {
  const store = await openTestStore(database.url);
  const { url } = database;
  return {
    memory: store.memory,
    plans: store.plans,
    openSource: () => openIndexSource({ url }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
});
