import { createHash } from "node:crypto";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { Database } from "../database.js";
import { migrate, MIGRATIONS } from "../migrate.js";

/**
 * Other migrations make another template, so that a run in watch mode copies no template from before
 * an edit.
 */
const VERSION = createHash("sha256").update(JSON.stringify(MIGRATIONS)).digest("hex").slice(0, 16);

/**
 * A new database with the tables of a store. The migrations run once in a test run: copying their
 * result takes a tenth of the processor time.
 */
export function storeDatabase(): Promise<TestDatabase> {
  return freshDatabase({ name: `store_${VERSION}`, fill: migrateStore });
}

async function migrateStore(url: string): Promise<void> {
  const db = new Database(url);
  try {
    await migrate(db);
  } finally {
    await db[Symbol.asyncDispose]();
  }
}
