import { RETENTION_VERSIONS_KEPT } from "../../../retention/limits.js";
import type { LegalHold, RetentionStore, RetentionVersion } from "../../../retention/ports.js";
import type { RetentionPeriods } from "../../../retention/index.js";
import { number, text } from "../column-values.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import type { SqliteRow } from "../connection.js";
import { readAll, type StoreReads } from "../reads/store-reads.js";
import { SqliteTextVersions } from "../governance/text-versions.js";

export class SqliteRetentionStore implements RetentionStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #versions: SqliteTextVersions;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
    this.#versions = new SqliteTextVersions(writer, db, {
      ...{ table: "retention_versions", column: "periods", versionsMax: RETENTION_VERSIONS_KEPT },
    });
  }

  async latest(orgId: string): Promise<RetentionVersion | undefined> {
    const found = await this.#versions.latest(orgId);
    if (found === undefined) return undefined;
    const { text, ...rest } = found;
    return { ...rest, periods: JSON.parse(text) as RetentionPeriods };
  }

  put({ periods, ...rest }: RetentionVersion): Promise<boolean> {
    return this.#versions.put({ ...rest, text: JSON.stringify(periods) });
  }

  holds(orgId: string): Promise<readonly LegalHold[]> {
    return readAll(
      this.#db,
      orgId,
      holdOf,
      "SELECT * FROM legal_holds WHERE org_id = ? ORDER BY placed_at_ms, hold_id",
      orgId,
    );
  }

  /** Deletions are in the same queue of commits, and look for holds when they are run. */
  placeHold({ orgId, holdId, sessionId, reason, placedBy, placedAtMs }: LegalHold): Promise<void> {
    return this.#writer.commitEffect([
      {
        sql: `INSERT INTO legal_holds (org_id, hold_id, session_id, reason, placed_by, placed_at_ms)
              VALUES (?, ?, ?, ?, ?, ?)`,
        params: [orgId, holdId, sessionId ?? null, reason, placedBy, placedAtMs],
      },
    ]);
  }

  async liftHold(orgId: string, holdId: string): Promise<boolean> {
    const sql = "DELETE FROM legal_holds WHERE org_id = ? AND hold_id = ?";
    try {
      await this.#writer.commitEffect([{ sql, params: [orgId, holdId], expect: 1 }]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }
}

function holdOf(row: SqliteRow): LegalHold {
  const sessionId = row["session_id"];
  return {
    orgId: text(row["org_id"]),
    holdId: text(row["hold_id"]),
    ...(sessionId === null ? {} : { sessionId: text(sessionId) }),
    reason: text(row["reason"]),
    placedBy: text(row["placed_by"]),
    placedAtMs: number(row["placed_at_ms"]),
  };
}
