import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "../cli/testing/run-here.js";
import { postgresTestStore, sqliteTestStore, type TestStore } from "./testing/test-store.js";
import { openApp, type App } from "./app.js";

/** A store is rolled back to a backup: its audit log is put back to an earlier size, on each engine. */
const TREE = ["audit_tree", "audit_tiles"];
const SQLITE_TABLES = [...TREE, "audit_records", "audit_personal_values", "audit_entries"];
const POSTGRES_TABLES = [...TREE, "audit_blocks", "audit_subjects"];

describe.each([
  { engine: "SQLite", open: sqliteTestStore, tables: SQLITE_TABLES },
  { engine: "PostgreSQL", open: postgresTestStore, tables: POSTGRES_TABLES },
])("a rolled back store on $engine", ({ open, tables }) => {
  let directory: string;
  let store: TestStore;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "steward-rolled-back-"));
    store = await open(directory);
  });
  afterAll(async () => {
    await store[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const start = (name = "steward/audit"): Promise<App> =>
    openApp({
      ...{ port: 0, log: silentLog, dataDir: directory, databaseUrl: store.url },
      audit: { name, witnesses: [], exports: [] },
    });

  /** Runs a server that makes records. */
  async function makeRecords(keys: number, name?: string): Promise<void> {
    await using app = await start(name);
    await addKeys(app, keys);
  }

  async function addKeys(app: App, keys: number): Promise<void> {
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const client = createClient({ baseUrl, userId: "ada", role: "admin", maxRetries: 0 });
    for (let made = 0; made < keys; made += 1) {
      await client.keys.createApiKey({ name: "k", roles: ["agent"] });
    }
  }

  async function backUp(): Promise<void> {
    for (const table of tables) {
      await store.query(`DROP TABLE IF EXISTS kept_${table}`);
      await store.query(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
    }
  }

  async function rollBack(): Promise<void> {
    for (const table of tables.toReversed()) await store.query(`DELETE FROM ${table}`);
    for (const table of tables) {
      await store.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
    }
  }

  const doctor = async (): Promise<string> => {
    const env = { SERVICE_DATABASE_URL: store.url, SERVICE_DATA_DIR: directory };
    return (await runHere(["doctor"], { env })).stdout;
  };
  const seenFile = (): string => {
    const [name = ""] = readdirSync(join(directory, "audit-seen"));
    return join(directory, "audit-seen", name);
  };

  it("stops the start, until somebody goes on with it on purpose", async () => {
    await makeRecords(2);
    await backUp();
    await makeRecords(3);
    expect(await doctor()).not.toContain("audit log");
    await rollBack();
    const told = /has 3 records, but this server has seen 6 of it.*SERVICE_AUDIT_NAME.*deleting/s;
    await expect(start()).rejects.toThrow(told);
    await expect(start()).rejects.toThrow(told);
    expect(await doctor()).toMatch(
      /FAIL +audit log +.*3 records, but this server has seen 6.*fix:/s,
    );
    const seen = readFileSync(seenFile(), "utf8");
    // Under another name it is another log, which goes on from here.
    await makeRecords(4, "steward/audit-2");
    await makeRecords(1, "steward/audit-2");
    // The log has grown beyond what was seen of the old one, with other records.
    writeFileSync(seenFile(), seen);
    await expect(start()).rejects.toThrow(/The first 6 records of the audit log .* are not those/);
    rmSync(seenFile());
    await makeRecords(1);
    // An empty store has another log.
    for (const table of tables.slice(1)) await store.query(`DELETE FROM ${table}`);
    await store.query("UPDATE audit_tree SET size = 0, checkpoint = ''");
    await makeRecords(1);
    expect(readdirSync(join(directory, "audit-seen"))).toHaveLength(2);
  }, 60_000);

  it("is noticed by a server that runs, which appends nothing more to it", async () => {
    await using app = await start();
    await addKeys(app, 1);
    await backUp();
    await addKeys(app, 1);
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const auditor = createClient({ baseUrl, role: "auditor", maxRetries: 0 });
    await auditor.audit.listAuditRecords();
    await rollBack();
    await addKeys(app, 1);
    await expect(auditor.audit.listAuditRecords()).rejects.toThrow(/so the store was rolled back/i);
    await expect(auditor.audit.listAuditRecords()).rejects.toThrow(/so the store was rolled back/i);
    rmSync(seenFile());
  }, 60_000);
});
