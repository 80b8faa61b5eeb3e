import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { SchemaTableDelta } from "../../../plans/index.js";
import type { RowsResult } from "../../sql-target/result-rows.js";
import { deltasBetween } from "../../sql-target/schema-deltas.js";
import { introspectSqlite } from "@steward/schema/sqlite-catalog";

/** Runs a statement, and returns what it changed in the schema. */
export type SchemaWatch = (
  db: DatabaseSyncInstance,
  run: () => RowsResult,
) => { readonly result: RowsResult; readonly schemaDeltas: readonly SchemaTableDelta[] };

/** Reads the schema before and after the statement, within the open transaction. */
export const watchSchema: SchemaWatch = (db, run) => {
  const before = introspectSqlite(db);
  const result = run();
  return { result, schemaDeltas: deltasBetween(before, introspectSqlite(db)) };
};
