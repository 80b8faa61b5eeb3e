import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import { RETENTION_VERSIONS_KEPT } from "../../retention/limits.js";
import type { LegalHold, RetentionStore, RetentionVersion } from "../../retention/ports.js";
import { integer, json, optional, rowType, text, uuid } from "./row-type.js";
import { sql } from "./sql.js";
import { always, locking, one, type SqlStore } from "./sql-store.js";
import { Versions } from "./versions.js";

const VERSION = rowType<RetentionVersion>({
  orgId: uuid,
  version: integer,
  periods: json(),
  changedBy: text(),
  changedAtMs: integer,
});

const HOLD = rowType<LegalHold>({
  orgId: uuid,
  holdId: uuid,
  sessionId: optional(text()),
  reason: text(),
  placedBy: text(),
  placedAtMs: integer,
});

export class SqlRetentionStore extends Versions<RetentionVersion> implements RetentionStore {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    super(db, {
      ...{ name: "retention_versions", type: VERSION, versionsMax: RETENTION_VERSIONS_KEPT },
    });
    this.#db = db;
  }

  holds(orgId: string): Promise<readonly LegalHold[]> {
    const query = sql`SELECT ${HOLD.columns} FROM legal_holds
      WHERE org_id = ${orgId} ORDER BY placed_at_ms, hold_id`;
    return this.#db.rows(orgId, query, HOLD);
  }

  /**
   * The lock is that of `whileDeleting`. On SQLite deletions are in the same queue of commits, and look for holds
   * when they are run.
   */
  async placeHold(hold: LegalHold, operation?: RecordedOperation): Promise<void> {
    await this.#db.write(
      [
        ...locking("retention_locks", hold.orgId),
        sql`INSERT INTO legal_holds (${HOLD.columns}) VALUES (${HOLD.values(hold)})
          ON CONFLICT DO NOTHING`,
      ],
      { operation, isOurs: always },
    );
  }

  liftHold(orgId: string, holdId: string, operation?: RecordedOperation): Promise<boolean> {
    const lift = one(sql`DELETE FROM legal_holds WHERE org_id = ${orgId} AND hold_id = ${holdId}`);
    return this.#db.write([lift], { operation, isOurs: always });
  }
}
