import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { ChildRole } from "../protocol.js";

/** Milliseconds to wait for another process's lock before the statement is given back. */
const BUSY_TIMEOUT_MS = 5000;
/** Bytes of one value or row: what a statement may build up in memory at a time. */
const VALUE_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes of one statement: a template's limit with room for what compiling it adds. */
const SQL_BYTES_MAX = 256 * 1024;

/**
 * Opens the data source; it must exist, for a mistyped path is no empty database. Its journal mode
 * stays as its owner chose. A reader can change nothing whatever it is asked; a writer's commit has
 * reached the disk when it returns.
 */
export function openDataSource(path: string, role: ChildRole): DatabaseSyncInstance {
  const url = pathToFileURL(resolve(path));
  url.searchParams.set("mode", role === "reader" ? "ro" : "rw");
  const db = new DatabaseSync(url, {
    readOnly: role === "reader",
    timeout: BUSY_TIMEOUT_MS,
    defensive: true,
    enableForeignKeyConstraints: true,
    limits: { attach: 0, length: VALUE_BYTES_MAX, sqlLength: SQL_BYTES_MAX },
  });
  db.exec(role === "reader" ? "PRAGMA query_only = ON" : "PRAGMA synchronous = FULL");
  return db;
}
