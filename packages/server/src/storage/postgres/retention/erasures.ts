import type { Erasure, ErasedCounts, ErasureScope } from "../../../retention/index.js";
import type { ErasureStore } from "../../../retention/ports.js";
import type { Database } from "../database.js";
import { settled } from "../settled.js";

/** A row, as the driver returns it. */
interface ErasureRow {
  readonly org_id: string;
  readonly erasure_id: string;
  readonly scope: ErasureScope;
  readonly subject: string;
  readonly subject_digest: string;
  readonly requested_by: string;
  readonly requested_at_ms: number;
  readonly finished_at_ms: number | null;
  readonly plan_count: number;
  readonly entry_count: number;
  readonly usage_count: number;
}

const COLUMNS = `org_id, erasure_id, scope, subject, subject_digest, requested_by, requested_at_ms,
  finished_at_ms, plan_count, entry_count, usage_count`;

/** Requests to erase, and their receipts, on PostgreSQL. */
export class PostgresErasures implements ErasureStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async begin(erasure: Erasure): Promise<void> {
    const { orgId, erasureId, scope, subject, requestedBy, requestedAtMs, subjectDigest } = erasure;
    await settled(() =>
      this.#db.writeEffect(
        `INSERT INTO erasures (org_id, erasure_id, scope, subject, subject_digest, requested_by,
           requested_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
        [orgId, erasureId, scope, subject, subjectDigest, requestedBy, requestedAtMs],
      ),
    );
  }

  async list(orgId: string, limit: number): Promise<readonly Erasure[]> {
    const rows = await this.#db.query<ErasureRow>(
      `SELECT ${COLUMNS} FROM erasures WHERE org_id = $1 ORDER BY erasure_id DESC LIMIT $2`,
      [orgId, limit],
    );
    return rows.map(erasureOf);
  }

  async unfinished(): Promise<readonly Erasure[]> {
    const rows = await this.#db.query<ErasureRow>(
      `SELECT ${COLUMNS} FROM erasures WHERE finished_at_ms IS NULL ORDER BY erasure_id`,
    );
    return rows.map(erasureOf);
  }

  async count({ orgId, erasureId }: Erasure, deleted: ErasedCounts): Promise<void> {
    await this.#db.writeEffect(
      `UPDATE erasures SET plan_count = plan_count + $3, entry_count = entry_count + $4,
         usage_count = usage_count + $5 WHERE org_id = $1 AND erasure_id = $2`,
      [orgId, erasureId, deleted.plans, deleted.entries, deleted.usage],
    );
  }

  async finish({ orgId, erasureId }: Erasure, finishedAtMs: number): Promise<void> {
    await settled(() =>
      this.#db.writeEffect(
        `UPDATE erasures SET finished_at_ms = $3
         WHERE org_id = $1 AND erasure_id = $2 AND finished_at_ms IS NULL`,
        [orgId, erasureId, finishedAtMs],
      ),
    );
  }
}

function erasureOf(row: ErasureRow): Erasure {
  return {
    orgId: row.org_id,
    erasureId: row.erasure_id,
    scope: row.scope,
    subject: row.subject,
    subjectDigest: row.subject_digest,
    requestedBy: row.requested_by,
    requestedAtMs: row.requested_at_ms,
    ...(row.finished_at_ms === null ? {} : { finishedAtMs: row.finished_at_ms }),
    counts: { plans: row.plan_count, entries: row.entry_count, usage: row.usage_count },
  };
}
