import type { RetentionPeriods } from "../../../retention/index.js";
import { RETENTION_VERSIONS_KEPT } from "../../../retention/limits.js";
import type { LegalHold, RetentionStore, RetentionVersion } from "../../../retention/ports.js";
import type { Database } from "../database.js";
import { settled } from "../settled.js";
import { PostgresTextVersions } from "../governance/text-versions.js";
import { preventDeletions } from "./retention-lock.js";

/** A row of holds, as the driver returns it. */
interface HoldRow {
  readonly hold_id: string;
  readonly session_id: string | null;
  readonly reason: string;
  readonly placed_by: string;
  readonly placed_at_ms: number;
}

export class PostgresRetentionStore implements RetentionStore {
  readonly #db: Database;
  readonly #versions: PostgresTextVersions;

  constructor(db: Database) {
    this.#db = db;
    this.#versions = new PostgresTextVersions(db, {
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

  async holds(orgId: string): Promise<readonly LegalHold[]> {
    const rows = await this.#db.query<HoldRow>(
      `SELECT hold_id, session_id, reason, placed_by, placed_at_ms FROM legal_holds
       WHERE org_id = $1 ORDER BY placed_at_ms, hold_id`,
      [orgId],
    );
    return rows.map((row) => ({
      orgId,
      holdId: row.hold_id,
      ...(row.session_id === null ? {} : { sessionId: row.session_id }),
      reason: row.reason,
      placedBy: row.placed_by,
      placedAtMs: row.placed_at_ms,
    }));
  }

  async placeHold(hold: LegalHold): Promise<void> {
    const { orgId, holdId, sessionId, reason, placedBy, placedAtMs } = hold;
    await settled(() =>
      this.#db.effect(async (connection) => {
        await preventDeletions(connection, orgId);
        await connection.query(
          `INSERT INTO legal_holds (org_id, hold_id, session_id, reason, placed_by, placed_at_ms)
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
          [orgId, holdId, sessionId ?? null, reason, placedBy, placedAtMs],
        );
      }),
    );
  }

  liftHold(orgId: string, holdId: string): Promise<boolean> {
    return settled(async (isUnsure) => {
      const lifted = await this.#db.writeEffect(
        "DELETE FROM legal_holds WHERE org_id = $1 AND hold_id = $2 RETURNING hold_id",
        [orgId, holdId],
      );
      return isUnsure || lifted.length > 0;
    });
  }
}
