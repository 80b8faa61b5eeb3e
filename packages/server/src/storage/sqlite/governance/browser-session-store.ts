import type { BrowserSession, BrowserSessionStore } from "../../../identity/ports.js";
import {
  BROWSER_SESSION_COLUMNS,
  browserSessionOf,
  browserSessionValues,
  type BrowserSessionRow,
} from "../../browser-session-row.js";
import type { CommitWriter } from "../commit-writer.js";
import { read } from "../connection.js";
import type { StoreReads } from "../reads/store-reads.js";

/** The part of a session that finds its row. */
type SessionRef = Pick<BrowserSession, "orgId" | "idHash">;

export class SqliteBrowserSessionStore implements BrowserSessionStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  add(session: BrowserSession, ownerSessionsMax: number): Promise<void> {
    const { orgId, owner, createdAtMs } = session;
    return this.#writer.commitEffect([
      {
        sql: `INSERT INTO browser_sessions (${BROWSER_SESSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        params: [...browserSessionValues(session)],
      },
      {
        sql: "DELETE FROM browser_sessions WHERE org_id = ? AND expires_at_ms <= ?",
        params: [orgId, createdAtMs],
      },
      {
        sql: `DELETE FROM browser_sessions WHERE org_id = ?1 AND owner = ?2 AND id_hash NOT IN (
                SELECT id_hash FROM browser_sessions WHERE org_id = ?1 AND owner = ?2
                ORDER BY created_at_ms DESC, id_hash LIMIT ?3)`,
        params: [orgId, owner, ownerSessionsMax],
      },
    ]);
  }

  find(idHash: string): Promise<BrowserSession | undefined> {
    return read(() => {
      const row = this.#db.get(
        `SELECT ${BROWSER_SESSION_COLUMNS} FROM browser_sessions WHERE id_hash = ?`,
        idHash,
      );
      // The query names these columns.
      return row === undefined ? undefined : browserSessionOf(row as unknown as BrowserSessionRow);
    });
  }

  recordUse({ orgId, idHash }: SessionRef, usedAtMs: number): Promise<void> {
    return this.#writer.commit([
      {
        sql: `UPDATE browser_sessions SET last_used_at_ms = max(last_used_at_ms, ?)
              WHERE org_id = ? AND id_hash = ?`,
        params: [usedAtMs, orgId, idHash],
      },
    ]);
  }

  remove({ orgId, idHash }: SessionRef): Promise<void> {
    return this.#writer.commitEffect([
      {
        sql: "DELETE FROM browser_sessions WHERE org_id = ? AND id_hash = ?",
        params: [orgId, idHash],
      },
    ]);
  }
}
