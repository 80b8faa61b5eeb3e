import { existsSync } from "node:fs";
import { maskDatabaseUrl, sqliteFile } from "../../config/index.js";
import type { DataSourceConfig } from "../../config/index.js";
import { fail, ok, reasonOf, warn } from "./check.js";
import type { Check } from "./check.js";

/** Checks the service's own database. */
export async function checkStore(url: string | undefined): Promise<Check> {
  const name = "database";
  if (url === undefined) {
    const found = "none: `steward serve` refuses every write";
    return warn(name, found, "set SERVICE_DATABASE_URL, such as sqlite:./.steward/steward.db");
  }
  const file = sqliteFile(url);
  if (file !== undefined && !existsSync(file)) return ok(name, `${file} will be created`);
  const fix = "correct SERVICE_DATABASE_URL";
  return file === undefined ? reachServer(name, url, fix) : reach(name, url, fix);
}

/** Checks that the store responds, and reports pending migrations of its schema. */
async function reachServer(name: string, url: string, fix: string): Promise<Check> {
  const shown = maskDatabaseUrl(url);
  try {
    const { migrateStore } = await import("../../app/migrate.js");
    const pending = await migrateStore(url, { dryRun: true });
    return ok(name, `${shown} answers${pending.length === 0 ? "" : " and will be migrated"}`);
  } catch (error) {
    return fail(name, `${shown}: ${reasonOf(error)}`, fix);
  }
}

/** Checks that each data source can be opened. */
export async function checkDataSources(
  sources: readonly DataSourceConfig[],
): Promise<readonly Check[]> {
  if (sources.length === 0) {
    const found = "none: no step can run";
    return [warn("data source", found, "set SERVICE_DATA_SOURCES, such as shop=sqlite:./shop.db")];
  }
  const fix = "correct SERVICE_DATA_SOURCES";
  return Promise.all(sources.map(({ name, url }) => reach(`data source ${name}`, url, fix)));
}

async function reach(name: string, url: string, fix: string): Promise<Check> {
  const shown = maskDatabaseUrl(url);
  const file = sqliteFile(url);
  try {
    if (file !== undefined) {
      await openFile(file);
      return ok(name, `${shown} opens`);
    }
    const { excessiveRights, ROLE_FIX } = await import("../../adapters/role-rights.js");
    const rights = await excessiveRights(url);
    if (rights === undefined) return ok(name, `${shown} answers`);
    return warn(name, `${shown} answers, but ${rights}`, ROLE_FIX);
  } catch (error) {
    return fail(name, `${shown}: ${reasonOf(error)}`, fix);
  }
}

async function openFile(file: string): Promise<void> {
  if (!existsSync(file)) throw new Error("no such file");
  const { DatabaseSync } = await import("@photostructure/sqlite");
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    // Reads the file's header, which opening a file does not.
    db.prepare("PRAGMA schema_version").get();
  } finally {
    db.close();
  }
}
