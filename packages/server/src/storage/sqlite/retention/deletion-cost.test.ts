import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import type { Write } from "../commit-protocol.js";
import { openConnection } from "../connection.js";
import { writeDeletion, writeExpiry } from "../memory/memory-writes.js";
import { openSqliteStore } from "../store.js";
import { deletedKeys, deletedLogs, deletedPlans, deletedUsage } from "./retention-writes.js";

const root = mkdtempSync(join(tmpdir(), "steward-deletion-"));
const path = join(root, "store.db");
beforeAll(async () => {
  await openSqliteStore(path, systemClock, silentTelemetry)[Symbol.asyncDispose]();
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

const ORG = "11111111-1111-4111-8111-111111111111";
const ID = "0190b8a0-0000-7000-8000-000000000001";

const DELETIONS: readonly (readonly [string, readonly Write[]])[] = [
  ["entries of a session", writeDeletion(ORG, "s", [ID])],
  ["expired entries", writeExpiry(ORG, [{ sessionId: "s", entryId: ID }])],
  ["plans", deletedPlans(ORG, [ID], 1)],
  ["logs of plans", deletedLogs(ORG, [ID], [1])],
  ["idempotency keys", [deletedKeys(ORG, [ID])]],
  ["usage rows", deletedUsage(ORG, { through: { occurredAtMs: 1, id: ID }, beforeMs: 2 })],
];

// Of what an organization keeps, a batch may read only what it deletes; else each batch gets slower with the store.
it.each(DELETIONS)("the deletion of %s reads no other rows of the organization", (_of, writes) => {
  using db = openConnection(path, true);
  const steps = writes.flatMap(
    ({ sql, params }) =>
      db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params) as { readonly detail: string }[],
  );
  const wide = steps
    .map(({ detail }) => detail)
    .filter((detail) => /^SCAN (?!json_each|\d+ CONSTANT|j\b)|\(org_id=\?\)$/.test(detail))
    // An organization has few legal holds, and there are few consumers.
    .filter((detail) => !/^SEARCH h |^SCAN (n|t)\b/.test(detail));
  expect(wide).toEqual([]);
});
