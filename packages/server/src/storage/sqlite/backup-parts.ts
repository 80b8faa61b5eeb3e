import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";

/** Only a copy has it: the store that is made of the copy does not. */
const TABLE = "steward_backup_parts";
/** What the files of a database's log are called behind its own name. */
export const LOG_SUFFIXES: readonly string[] = ["-wal", "-shm"];
/** Bytes of a file read at a time. */
const CHUNK_BYTES = 1024 * 1024;

/** A file of a backup beside the store's. */
interface Part {
  readonly name: string;
  readonly sha256: string;
}

/** Where a backup of this name has the organizations' states. */
export function stateDirectoryOf(copy: string): string {
  return `${copy}.state`;
}

/**
 * Writes into a copy of the store which files belong to it, so that none can be left behind unnoticed.
 * @param names files in `directory`.
 */
export function writeParts(copy: string, directory: string, names: readonly string[]): void {
  using db = new DatabaseSync(copy);
  db.exec(`CREATE TABLE ${TABLE} (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL)`);
  const insert = db.prepare(`INSERT INTO ${TABLE} VALUES (?, ?)`);
  for (const name of names) insert.run(name, sha256Of(join(directory, name)));
}

/**
 * The files that belong to a backup, each of them there and as it was written.
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
        "it does not say which files belong to it, as what `steward backup` writes does; the store's " +
        "own file is put back by hand, together with the state in the data directory",
    };
  }
  for (const { name, sha256 } of parts) {
    const file = join(directory, name);
    if (!existsSync(file)) return { missing: `${file} is missing, which belongs to it` };
    if (sha256Of(file) !== sha256) return { missing: `${file} is not the one that belongs to it` };
  }
  return { names: parts.map(({ name }) => name) };
}

/** Makes a store of a copy. */
export function dropParts(copy: string): void {
  using db = new DatabaseSync(copy);
  db.exec(`DROP TABLE ${TABLE}`);
}

/** Reads a database that nobody else has open, and leaves nothing beside it. */
export function reading<Result>(path: string, read: (db: DatabaseSyncInstance) => Result): Result {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
    // Reading has made them, and there is nothing in them.
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

/** In pieces: the state of an organization may be larger than memory. */
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
