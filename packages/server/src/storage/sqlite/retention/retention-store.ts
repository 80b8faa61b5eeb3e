import { RETENTION_VERSIONS_KEPT } from "../../../retention/limits.js";
import type { LegalHold, RetentionStore, RetentionVersion } from "../../../retention/ports.js";
import type { RetentionPeriods } from "../../../retention/index.js";
import { number, text } from "../column-values.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { read, readAll, type SqliteRow, type StatementCache } from "../connection.js";

export class SqliteRetentionStore implements RetentionStore {
  readonly #writer: CommitWriter;
  readonly #db: StatementCache;

  constructor(writer: CommitWriter, db: StatementCache) {
    this.#writer = writer;
    this.#db = db;
  }

  latest(orgId: string): Promise<RetentionVersion | undefined> {
    return read(() => {
      const row = this.#db.get(
        `SELECT version, periods, changed_by, changed_at_ms FROM retention_versions
         WHERE org_id = ? ORDER BY version DESC LIMIT 1`,
        orgId,
      );
      if (row === undefined) return undefined;
      return {
        orgId,
        version: number(row["version"]),
        periods: JSON.parse(text(row["periods"])) as RetentionPeriods,
        changedBy: text(row["changed_by"]),
        changedAtMs: number(row["changed_at_ms"]),
      };
    });
  }

  async put(changed: RetentionVersion): Promise<boolean> {
    const { orgId, version, periods, changedBy, changedAtMs } = changed;
    try {
      await this.#writer.commit([
        {
          sql: `INSERT INTO retention_versions (org_id, version, periods, changed_by, changed_at_ms)
                SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?2 =
                  (SELECT coalesce(max(version), 0) + 1 FROM retention_versions WHERE org_id = ?1)`,
          params: [orgId, version, JSON.stringify(periods), changedBy, changedAtMs],
          expect: 1,
        },
        {
          sql: "DELETE FROM retention_versions WHERE org_id = ? AND version <= ?",
          params: [orgId, version - RETENTION_VERSIONS_KEPT],
        },
      ]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  holds(orgId: string): Promise<readonly LegalHold[]> {
    return readAll(
      this.#db,
      holdOf,
      "SELECT * FROM legal_holds WHERE org_id = ? ORDER BY placed_at_ms, hold_id",
      orgId,
    );
  }

  /** Deletions are in the same queue of commits, and look for holds when they are run. */
  placeHold({ orgId, holdId, sessionId, reason, placedBy, placedAtMs }: LegalHold): Promise<void> {
    return this.#writer.commit([
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
      await this.#writer.commit([{ sql, params: [orgId, holdId], expect: 1 }]);
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
