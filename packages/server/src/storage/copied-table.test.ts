import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { systemClock } from "@steward/kernel/clock.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { silentTelemetry } from "../kernel/telemetry.js";
import { COPIED_TABLES } from "./copied-table.js";
import { openSqliteStore } from "./sqlite/store.js";

/** Tables of a SQLite store that `steward copy` does not copy as they are, and why. */
const NOT_COPIED: Readonly<Record<string, string>> = {
  audit_records: "they are packed into blocks by organization",
  audit_entries: "they are packed with the records",
  audit_personal_values: "they are packed with the records",
  audit_personal_blocks: "their values are packed with the records",
  browser_sessions: "people sign in again",
  tool_call_cursors: "they become the places in the plans' logs",
  set_aside_calls: "the usage reads the log of the plan again from the first of them",
  memory_codes: "they are columns of the vectors",
  memory_text: "an index of the entries, which PostgreSQL makes",
  memory_text_data: "a part of this index",
  memory_text_idx: "a part of this index",
  memory_text_docsize: "a part of this index",
  memory_text_config: "a part of this index",
};

/** Columns of copied tables that are not copied as they are, and why. */
const COLUMNS_NOT_COPIED: Readonly<Record<string, string>> = {
  "audit_blocks.block_index": "a block of PostgreSQL is of one organization",
  "audit_blocks.entries": "they are packed with the records",
  "plan_changes.change": "SQLite's number of the row",
  "usage_events.created_at_ms": "it becomes created_at",
  "memory_entries.entry_key": "SQLite's number of the row",
  "memory_vectors.vector_key": "SQLite's number of the row",
  "memory_entry_vectors.entry_key": "it becomes the entry's id",
  "memory_entry_vectors.vector_key": "it becomes the vector's digest",
};

const directory = mkdtempSync(join(tmpdir(), "steward-copied-"));
let db: DatabaseSyncInstance;
beforeAll(async () => {
  const path = join(directory, "store.db");
  await openSqliteStore(path, systemClock, silentTelemetry)[Symbol.asyncDispose]();
  db = new DatabaseSync(path);
});
afterAll(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

const columnsOf = (table: string): readonly string[] =>
  db
    .prepare(`SELECT name FROM pragma_table_info(?)`)
    .all(table)
    .map(({ name }) => String(name));

it("contains every table and column of a SQLite store, but those that are left out on purpose", () => {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  const copied = new Map(COPIED_TABLES.map(({ name, columns }) => [name, columns]));
  const rest = tables.filter((name) => !copied.has(name));
  expect(rest.toSorted()).toEqual(Object.keys(NOT_COPIED).toSorted());
  const columns = tables.flatMap((table) => {
    const names = copied.get(table)?.map(({ name }) => name) ?? columnsOf(table);
    const left = columnsOf(table).filter((column) => !names.includes(column));
    return left.map((column) => `${table}.${column}`);
  });
  expect(columns.toSorted()).toEqual(Object.keys(COLUMNS_NOT_COPIED).toSorted());
});
