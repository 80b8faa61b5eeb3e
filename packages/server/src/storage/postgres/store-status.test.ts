import { randomUUID } from "node:crypto";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { storeStatusBattery } from "../testing/store-status-battery.js";
import { Database } from "./database.js";
import { openTestStore } from "./testing/open-store.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

storeStatusBattery("PostgreSQL", () => openTestStore(database.url));

it("shows every node, one that lost its lease and one of an older version too", async () => {
  await using store = await openTestStore(database.url);
  await using other = await openTestStore(database.url);
  await using db = new Database(database.url);
  const older = randomUUID();
  await db.query("INSERT INTO nodes (org_id, node_id, lease_until_ms) VALUES ($1, $2, 1)", [
    NIL_ORG_ID,
    older,
  ]);
  const { nodes, nowMs } = await store.status.read();
  expect(nodes.map(({ isSelf }) => isSelf).toSorted()).toEqual([false, false, true]);
  const silent = nodes.filter(({ leaseUntilMs }) => leaseUntilMs < nowMs);
  expect(silent.map(({ nodeId, version }) => [nodeId, version])).toEqual([[older, undefined]]);
  const self = (await other.status.read()).nodes.find(({ isSelf }) => isSelf);
  expect(nodes.find(({ isSelf }) => isSelf)?.nodeId).not.toBe(self?.nodeId);
});
