import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { ChildRole } from "../protocol.js";

/** How long to wait for another process's lock before the statement is released, in ms. */
export const BUSY_TIMEOUT_MS = 5000;
/**
 * Maximum size of one value or row in bytes, which bounds the memory that a statement can use at
 * once.
 */
const VALUE_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Maximum size of one statement in bytes: the limit of a template plus room for its compilation.
 */
const SQL_BYTES_MAX = 256 * 1024;

/**
 * Opens the data source. The file must exist, because a mistyped path must not create an empty
 * database. Its owner's journal mode is not changed. A reader cannot change anything; a writer's
 * commit has reached the disk when it returns.
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
