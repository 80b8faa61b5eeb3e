import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";

/** Exists only in a copy; restoring removes it. */
const TABLE = "steward_backup_parts";
/** Suffixes of the files of a database's write-ahead log. */
export const LOG_SUFFIXES: readonly string[] = ["-wal", "-shm"];
/** Size of the pieces in which a file is read, in bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** A file of a backup beside the store's file. */
interface Part {
  readonly name: string;
  readonly sha256: string;
}

/** The directory with the organizations' states in a backup of this name. */
export function stateDirectoryOf(copy: string): string {
  return `${copy}.state`;
}

/**
 * Writes the list of all files of a backup into the copy of the store, so that a missing file is
 * noticed.
 * @param names files in `directory`.
 */
export function writeParts(copy: string, directory: string, names: readonly string[]): void {
  using db = new DatabaseSync(copy);
  db.exec(`CREATE TABLE ${TABLE} (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL)`);
  const insert = db.prepare(`INSERT INTO ${TABLE} VALUES (?, ?)`);
  for (const name of names) insert.run(name, sha256Of(join(directory, name)));
}

/**
 * Checks that all files of a backup exist unchanged.
 * @returns their names, or why the backup is not complete.
 */
export function completeParts(
  copy: string,
  directory: string,
): { readonly names: readonly string[] } | { readonly missing: string } {
  const parts = readParts(copy);
  if (parts === undefined) {
    return {
      missing:
        "it does not list the files that belong to it, as a backup made by `steward backup` does; restore a plain " +
        "copy of the store by hand, together with the state in the data directory",
    };
  }
  for (const { name, sha256 } of parts) {
    const file = join(directory, name);
    if (!existsSync(file)) return { missing: `${file} is missing, which belongs to the backup` };
    if (sha256Of(file) !== sha256)
      return { missing: `${file} is not the file that belongs to the backup` };
  }
  return { names: parts.map(({ name }) => name) };
}

/** Turns a copy into a store. */
export function dropParts(copy: string): void {
  using db = new DatabaseSync(copy);
  db.exec(`DROP TABLE ${TABLE}`);
}

/** Reads a database that nobody else has open, and removes the log files that reading creates. */
export function reading<Result>(path: string, read: (db: DatabaseSyncInstance) => Result): Result {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
    // Reading has created these files, which are empty.
    for (const suffix of LOG_SUFFIXES) rmSync(path + suffix, { force: true });
  }
}

function readParts(copy: string): readonly Part[] | undefined {
  return reading(copy, (db) => {
    const isThere: unknown = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(TABLE);
    if (isThere === undefined) return undefined;
    // The table's columns are those of a part.
    return db.prepare(`SELECT name, sha256 FROM ${TABLE} ORDER BY name`).all() as Part[];
  });
}

/** In pieces, because the state of an organization may be larger than memory. */
function sha256Of(path: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const file = openSync(path, "r");
  try {
    for (;;) {
      const bytes = readSync(file, chunk);
      if (bytes === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, bytes));
    }
  } finally {
    closeSync(file);
  }
}
