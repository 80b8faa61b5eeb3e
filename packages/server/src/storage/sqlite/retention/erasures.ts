import type { Erasure, ErasedCounts, ErasureScope } from "../../../retention/index.js";
import type { ErasureStore } from "../../../retention/ports.js";
import { number, optionalNumber, text } from "../column-values.js";
import type { CommitWriter } from "../commit-writer.js";
import type { SqliteRow } from "../connection.js";
import { readAll, SYSTEM, type StoreReads } from "../reads/store-reads.js";

/** Requests to erase, and their receipts, in SQLite. */
export class SqliteErasures implements ErasureStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  begin(erasure: Erasure): Promise<void> {
    const { orgId, erasureId, scope, subject, requestedBy, requestedAtMs, subjectDigest } = erasure;
    return this.#writer.commitEffect([
      {
        sql: `INSERT INTO erasures (org_id, erasure_id, scope, subject, subject_digest, requested_by,
                requested_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        params: [orgId, erasureId, scope, subject, subjectDigest, requestedBy, requestedAtMs],
      },
    ]);
  }

  list(orgId: string, limit: number): Promise<readonly Erasure[]> {
    const sql = "SELECT * FROM erasures WHERE org_id = ? ORDER BY erasure_id DESC LIMIT ?";
    return readAll(this.#db, orgId, erasureOf, sql, orgId, BigInt(limit));
  }

  unfinished(): Promise<readonly Erasure[]> {
    const sql = "SELECT * FROM erasures WHERE finished_at_ms IS NULL ORDER BY erasure_id";
    return readAll(this.#db, SYSTEM, erasureOf, sql);
  }

  count({ orgId, erasureId }: Erasure, { plans, entries, usage }: ErasedCounts): Promise<void> {
    return this.#writer.commit([
      {
        sql: `UPDATE erasures SET plan_count = plan_count + ?, entry_count = entry_count + ?,
                usage_count = usage_count + ? WHERE org_id = ? AND erasure_id = ?`,
        params: [plans, entries, usage, orgId, erasureId],
      },
    ]);
  }

  finish({ orgId, erasureId }: Erasure, finishedAtMs: number): Promise<void> {
    return this.#writer.commitEffect([
      {
        sql: `UPDATE erasures SET finished_at_ms = ?
              WHERE org_id = ? AND erasure_id = ?`,
        params: [finishedAtMs, orgId, erasureId],
      },
    ]);
  }
}

function erasureOf(row: SqliteRow): Erasure {
  const finishedAtMs = optionalNumber(row["finished_at_ms"]);
  return {
    orgId: text(row["org_id"]),
    erasureId: text(row["erasure_id"]),
    // The column holds what `begin` has written.
    scope: text(row["scope"]) as ErasureScope,
    subject: text(row["subject"]),
    subjectDigest: text(row["subject_digest"]),
    requestedBy: text(row["requested_by"]),
    requestedAtMs: number(row["requested_at_ms"]),
    ...(finishedAtMs === undefined ? {} : { finishedAtMs }),
    counts: {
      plans: number(row["plan_count"]),
      entries: number(row["entry_count"]),
      usage: number(row["usage_count"]),
    },
  };
}
