import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { hashOf } from "@steward/state";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { storageQuotaBattery } from "../../testing/storage-quota-battery.js";
import { stateBytes, SqliteBlockStores } from "../state/block-stores.js";
import { openSqliteStore } from "../store.js";

const root = mkdtempSync(join(tmpdir(), "steward-storage-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});
let files = 0;

storageQuotaBattery("SQLite", () => {
  files += 1;
  const path = join(root, `${String(files)}.db`);
  return Promise.resolve(openSqliteStore(path, systemClock, silentTelemetry));
});

it("the state's bytes are the pages that it uses, and none without a state", () => {
  const orgId = "11111111-1111-4111-8111-111111111111";
  const directory = join(root, "state");
  expect(stateBytes(directory, orgId)).toBe(0);
  using store = new SqliteBlockStores(directory, systemClock).open(orgId, true);
  const empty = stateBytes(directory, orgId);
  const block = randomBytes(600_000);
  store?.put(new Map([[hashOf(block), block]]));
  expect(stateBytes(directory, orgId)).toBeGreaterThan(empty + 0.9 * block.length);
});
