import { isDeepStrictEqual } from "node:util";
import type { RetentionPeriods } from "../../../retention/index.js";
import { RETENTION_VERSIONS_KEPT } from "../../../retention/limits.js";
import type { LegalHold, RetentionStore, RetentionVersion } from "../../../retention/ports.js";
import type { Database } from "../database.js";
import { settled } from "../settled.js";
import { preventDeletions } from "./retention-lock.js";

/** A row of periods, as the driver returns it. */
interface VersionRow {
  readonly version: number;
  readonly periods: string;
  readonly changed_by: string;
  readonly changed_at_ms: number;
}

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

  constructor(db: Database) {
    this.#db = db;
  }

  async latest(orgId: string): Promise<RetentionVersion | undefined> {
    const [row] = await this.#db.query<VersionRow>(
      `SELECT version, periods, changed_by, changed_at_ms FROM retention_versions
       WHERE org_id = $1 ORDER BY version DESC LIMIT 1`,
      [orgId],
    );
    if (row === undefined) return undefined;
    return {
      orgId,
      version: row.version,
      periods: JSON.parse(row.periods) as RetentionPeriods,
      changedBy: row.changed_by,
      changedAtMs: row.changed_at_ms,
    };
  }

  async put(changed: RetentionVersion): Promise<boolean> {
    const { orgId, version, periods, changedBy, changedAtMs } = changed;
    const write = (): Promise<boolean> =>
      this.#db.transaction(async (connection) => {
        const [{ latest } = { latest: 0 }] = await connection.query<{ readonly latest: number }>(
          "SELECT coalesce(max(version), 0) AS latest FROM retention_versions WHERE org_id = $1",
          [orgId],
        );
        if (version !== latest + 1) return false;
        const added = await connection.query(
          `INSERT INTO retention_versions (org_id, version, periods, changed_by, changed_at_ms)
           VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING version`,
          [orgId, version, JSON.stringify(periods), changedBy, changedAtMs],
        );
        const old = "DELETE FROM retention_versions WHERE org_id = $1 AND version <= $2";
        await connection.query(old, [orgId, version - RETENTION_VERSIONS_KEPT]);
        return added.length > 0;
      });
    const isOurs = async (): Promise<boolean> =>
      isDeepStrictEqual(await this.latest(orgId), changed);
    return settled(
      async (isUnsure) => (await write()) || (isUnsure && (await isOurs())),
      async () => (await isOurs()) || undefined,
    );
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
      this.#db.transaction(async (connection) => {
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
      const lifted = await this.#db.query(
        "DELETE FROM legal_holds WHERE org_id = $1 AND hold_id = $2 RETURNING hold_id",
        [orgId, holdId],
      );
      return isUnsure || lifted.length > 0;
    });
  }
}
