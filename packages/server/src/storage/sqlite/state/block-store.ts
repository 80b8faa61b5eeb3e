import { inflateRawSync } from "node:zlib";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { CorruptedBlock, type Hash } from "@steward/state";
import type { BlockStore, JournalRecord, Ref, RefMove } from "@steward/state/ports";
import { deflatedBlock } from "../../deflated-block.js";
import { storeUnavailable } from "../../failure-reason.js";
import { LOG_BYTES_KEPT, type SqliteRow, type SqliteValue, StatementCache } from "../connection.js";

/**
 * Durability of a commit: `FULL` survives a power failure, `NORMAL` only the end of the process.
 */
export type BlockDurability = "FULL" | "NORMAL";

/** A block of a tree fits into one page, so that reading it is one read. */
const PAGE_BYTES = 16 * 1024;
/** How long a connection waits for another's transaction, in ms. */
const BUSY_TIMEOUT_MS = 5000;
/**
 * Commits with fewer blocks are not compressed at once: a caller waits for them, and compressing
 * would double the time. The next sweep compresses their blocks.
 */
const COMPRESSED_FROM_BLOCKS = 64;
/**
 * Blocks that one transaction of a sweep compresses; it bounds how long other transactions wait.
 */
const COMPRESSED_AT_ONCE = 200;

/** Maximum number of journal records that wait in memory. */
const WAITING_RECORDS_MAX = 1024;

/** The storage formats of a block. */
const STORED = {
  /** Uncompressed, to be checked by a sweep. */
  plain: 0,
  deflated: 1,
  /** Uncompressed, because compression does not make it smaller. */
  incompressible: 2,
} as const;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS state_blocks (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    written_at_ms INTEGER NOT NULL,
    is_deflated INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS state_blocks_to_compress ON state_blocks (id) WHERE is_deflated = 0;
  CREATE TABLE IF NOT EXISTS state_refs (
    name TEXT NOT NULL PRIMARY KEY,
    commit_hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS state_journal (
    id INTEGER PRIMARY KEY,
    journal TEXT NOT NULL,
    is_present INTEGER NOT NULL,
    key BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS state_journal_by_name ON state_journal (journal, id);
`;

/**
 * Opens a file for blocks, creating it if needed; ":memory:" for none.
 * @throws AppError `STORE_UNAVAILABLE` when it cannot be opened.
 */
export function openSqliteBlockStore(
  path: string,
  clock: Clock,
  durability: BlockDurability = "FULL",
): BlockStore {
  let db: DatabaseSyncInstance | undefined;
  try {
    db = new DatabaseSync(path);
    db.exec(`PRAGMA page_size = ${String(PAGE_BYTES)}`);
    db.exec(`PRAGMA busy_timeout = ${String(BUSY_TIMEOUT_MS)}`);
    db.exec("PRAGMA journal_mode = WAL");
    db.exec(`PRAGMA journal_size_limit = ${String(LOG_BYTES_KEPT)}`);
    db.exec(`PRAGMA synchronous = ${durability}`);
    db.exec(SCHEMA);
    return new SqliteBlockStore(db, path, clock);
  } catch (error) {
    db?.close();
    throw unavailable(`The state's store ${path} cannot be opened`, error, path);
  }
}

interface WaitingRecord {
  readonly journal: string;
  readonly record: JournalRecord;
}

/**
 * Blocks, refs and journals in SQLite. Blocks are stored compressed where that makes them smaller.
 */
class SqliteBlockStore implements BlockStore {
  readonly #db: DatabaseSyncInstance;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #statements: StatementCache;
  /** Journal records for the next transaction. Most of them are committed before it is needed. */
  #waiting: WaitingRecord[] = [];

  constructor(db: DatabaseSyncInstance, path: string, clock: Clock) {
    this.#db = db;
    this.#path = path;
    this.#clock = clock;
    this.#statements = new StatementCache(db);
  }

  get(hash: Hash): Uint8Array | undefined {
    const row = this.#statements.get(
      "SELECT is_deflated, bytes FROM state_blocks WHERE hash = ?",
      Buffer.from(hash, "hex"),
    );
    if (row === undefined) return undefined;
    const bytes = row["bytes"] as Uint8Array;
    if (row["is_deflated"] !== STORED.deflated) return bytes;
    try {
      return inflateRawSync(bytes);
    } catch (error) {
      throw new CorruptedBlock(hash, "damaged", error);
    }
  }

  has(hash: Hash): boolean {
    const sql = "SELECT 1 FROM state_blocks WHERE hash = ?";
    return this.#statements.get(sql, Buffer.from(hash, "hex")) !== undefined;
  }

  *hashes(): Generator<Hash> {
    let after = Buffer.alloc(0);
    for (;;) {
      const sql = "SELECT hash FROM state_blocks WHERE hash > ? ORDER BY hash LIMIT 1000";
      const page = this.#statements
        .all(sql, after)
        .map((row) => Buffer.from(row["hash"] as Uint8Array));
      for (const hash of page) yield hash.toString("hex") as Hash;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  put(blocks: ReadonlyMap<Hash, Uint8Array>): void {
    this.#transaction(() => {
      this.#insert(blocks);
      return true;
    });
  }

  ref(name: string): Hash | undefined {
    const row = this.#statements.get("SELECT commit_hash FROM state_refs WHERE name = ?", name);
    return row?.["commit_hash"] as Hash | undefined;
  }

  refs(): readonly Ref[] {
    const rows = this.#statements.all("SELECT name, commit_hash FROM state_refs ORDER BY name");
    return rows.map((row) => ({ name: row["name"] as string, commit: row["commit_hash"] as Hash }));
  }

  move(move: RefMove, blocks: ReadonlyMap<Hash, Uint8Array>): boolean {
    return this.#transaction(() => {
      if (!this.#moveRef(move)) return false;
      this.#insert(blocks);
      return true;
    }, move.journal);
  }

  append(journal: string, record: JournalRecord): void {
    this.#waiting.push({ journal, record });
    if (this.#waiting.length >= WAITING_RECORDS_MAX) this.sync();
  }

  sync(): void {
    if (this.#waiting.length > 0) this.#transaction(() => true);
  }

  journal(name: string): readonly JournalRecord[] {
    this.sync();
    const sql = "SELECT is_present, key FROM state_journal WHERE journal = ? ORDER BY id";
    return this.#statements
      .all(sql, name)
      .map((row) => ({ present: row["is_present"] === 1, key: row["key"] as Uint8Array }));
  }

  journals(): readonly string[] {
    this.sync();
    const sql = "SELECT DISTINCT journal FROM state_journal ORDER BY journal";
    return this.#statements.all(sql).map((row) => row["journal"] as string);
  }

  clearJournal(name: string): void {
    this.#transaction(() => true, name);
  }

  sweep(keep: ReadonlySet<Hash>, writtenBeforeMs: number): number {
    let deleted = 0;
    for (const hash of [...this.hashes()].filter((found) => !keep.has(found))) {
      const sql = "DELETE FROM state_blocks WHERE hash = ? AND written_at_ms < ?";
      this.#attempt(() => {
        deleted += this.#statements.run(sql, [Buffer.from(hash, "hex"), writtenBeforeMs]);
      });
    }
    this.#compressRest();
    return deleted;
  }

  [Symbol.dispose](): void {
    this.sync();
    this.#db.close();
  }

  #moveRef({ name, expected, next }: RefMove): boolean {
    if (this.ref(name) !== expected) return false;
    if (next === undefined) this.#statements.run("DELETE FROM state_refs WHERE name = ?", [name]);
    else this.#statements.run("INSERT OR REPLACE INTO state_refs VALUES (?, ?)", [name, next]);
    return true;
  }

  #insert(blocks: ReadonlyMap<Hash, Uint8Array>): void {
    const sql = `INSERT INTO state_blocks (hash, written_at_ms, is_deflated, bytes) VALUES (?, ?, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET written_at_ms = excluded.written_at_ms`;
    const nowMs = this.#clock.nowMs();
    const isMany = blocks.size >= COMPRESSED_FROM_BLOCKS;
    for (const [hash, bytes] of blocks) {
      const { how, stored } = isMany ? compressed(bytes) : { how: STORED.plain, stored: bytes };
      this.#statements.run(sql, [Buffer.from(hash, "hex"), nowMs, how, stored]);
    }
  }

  /** Compresses the blocks that small commits have stored uncompressed. */
  #compressRest(): void {
    const sql =
      "SELECT id, bytes FROM state_blocks WHERE is_deflated = 0 AND id > ? ORDER BY id LIMIT ?";
    for (let after: SqliteValue = 0; ;) {
      const rows: readonly SqliteRow[] = this.#statements.all(sql, after, COMPRESSED_AT_ONCE);
      if (rows.length === 0) return;
      this.#transaction(() => {
        for (const row of rows) {
          const { how, stored } = compressed(row["bytes"] as Uint8Array);
          const update = "UPDATE state_blocks SET is_deflated = ?, bytes = ? WHERE id = ?";
          this.#statements.run(update, [how, stored, row["id"] ?? null]);
        }
        return true;
      });
      after = rows.at(-1)?.["id"] ?? 0;
    }
  }

  /**
   * Runs writes in one transaction together with the waiting journal records. The transaction
   * commits only if `write` returns true.
   * @param emptied a journal that the transaction also empties.
   */
  #transaction(write: () => boolean, emptied?: string): boolean {
    return this.#attempt(() => {
      this.#db.exec("BEGIN IMMEDIATE");
      let done = false;
      try {
        const isWanted = write();
        if (isWanted) this.#writeJournals(emptied);
        done = isWanted;
      } finally {
        this.#db.exec(done ? "COMMIT" : "ROLLBACK");
      }
      if (done) this.#waiting = [];
      return done;
    });
  }

  #writeJournals(emptied: string | undefined): void {
    if (emptied !== undefined) {
      this.#statements.run("DELETE FROM state_journal WHERE journal = ?", [emptied]);
    }
    for (const { journal, record } of this.#waiting) {
      if (journal === emptied) continue;
      const sql = "INSERT INTO state_journal (journal, is_present, key) VALUES (?, ?, ?)";
      this.#statements.run(sql, [journal, record.present ? 1 : 0, record.key]);
    }
  }

  #attempt<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      throw unavailable("The state's store cannot be written now", error, this.#path);
    }
  }
}

function compressed(bytes: Uint8Array): { readonly how: number; readonly stored: Uint8Array } {
  const deflated = deflatedBlock(bytes);
  if (deflated === undefined) return { how: STORED.incompressible, stored: bytes };
  return { how: STORED.deflated, stored: deflated };
}

function unavailable(message: string, error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  return storeUnavailable(message, error, path);
}
