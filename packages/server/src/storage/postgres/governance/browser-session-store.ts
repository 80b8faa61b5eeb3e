import type { BrowserSession, BrowserSessionStore } from "../../../identity/ports.js";
import {
  BROWSER_SESSION_COLUMNS,
  browserSessionOf,
  browserSessionValues,
  type BrowserSessionRow,
} from "../../browser-session-row.js";
import type { Database } from "../database.js";

/** The part of a session that finds its row. */
type SessionRef = Pick<BrowserSession, "orgId" | "idHash">;

export class PostgresBrowserSessionStore implements BrowserSessionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(session: BrowserSession, ownerSessionsMax: number): Promise<void> {
    const { orgId, owner, createdAtMs } = session;
    await this.#db.effect(async (connection) => {
      await connection.query(
        `INSERT INTO browser_sessions (${BROWSER_SESSION_COLUMNS})
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [...browserSessionValues(session)],
      );
      await connection.query(
        "DELETE FROM browser_sessions WHERE org_id = $1 AND expires_at_ms <= $2",
        [orgId, createdAtMs],
      );
      await connection.query(
        `DELETE FROM browser_sessions WHERE org_id = $1 AND owner = $2 AND id_hash NOT IN (
           SELECT id_hash FROM browser_sessions WHERE org_id = $1 AND owner = $2
           ORDER BY created_at_ms DESC, id_hash LIMIT $3)`,
        [orgId, owner, ownerSessionsMax],
      );
    });
  }

  async find(idHash: string): Promise<BrowserSession | undefined> {
    const [row] = await this.#db.query<BrowserSessionRow>(
      `SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id_hash = $1`,
      [idHash],
    );
    return row === undefined ? undefined : browserSessionOf(row);
  }

  async recordUse({ orgId, idHash }: SessionRef, usedAtMs: number): Promise<void> {
    await this.#db.query(
      `UPDATE browser_sessions SET last_used_at_ms = greatest(last_used_at_ms, $1)
       WHERE org_id = $2 AND id_hash = $3`,
      [usedAtMs, orgId, idHash],
    );
  }

  async remove({ orgId, idHash }: SessionRef): Promise<void> {
    await this.#db.writeEffect("DELETE FROM browser_sessions WHERE org_id = $1 AND id_hash = $2", [
      orgId,
      idHash,
    ]);
  }
}
