import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@steward/kernel/clock.js";
import type { TestDatabase } from "@steward/test-postgres";
import { afterAll, afterEach, beforeEach, describe } from "vitest";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { openTestStore } from "../postgres/testing/open-store.js";
import { storeDatabase } from "../postgres/testing/store-database.js";
import { openSqliteStore } from "../sqlite/store.js";
import type { Store } from "../store.js";

/**
 * Runs a battery on each engine. Within one test, each call of `open` opens the same store, as a
 * restarted process would; every test has a new one.
 */
export function onEachEngine(battery: (engine: string, open: () => Promise<Store>) => void): void {
  describe("on SQLite", () => {
    const root = mkdtempSync(join(tmpdir(), "steward-each-"));
    let files = 0;
    beforeEach(() => {
      files += 1;
    });
    afterAll(() => {
      rmSync(root, { recursive: true });
    });
    battery("SQLite", () => {
      const path = join(root, `${String(files)}.db`);
      return Promise.resolve(openSqliteStore(path, systemClock, silentTelemetry));
    });
  });

  describe("on PostgreSQL", () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await storeDatabase();
    });
    afterEach(() => database[Symbol.asyncDispose]());
    battery("PostgreSQL", () => openTestStore(database.url));
  });
}
