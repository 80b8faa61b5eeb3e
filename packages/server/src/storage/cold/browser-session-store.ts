import type { BrowserSession, BrowserSessionStore, SessionProof } from "../../identity/ports.js";
import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import { integer, json, rowType, text, uuid } from "./row-type.js";
import { greater, raw, sql } from "./sql.js";
import type { SqlStore } from "./sql-store.js";

const SESSION = rowType<BrowserSession>({
  orgId: uuid,
  idHash: text(),
  owner: text(),
  proof: json<SessionProof>(),
  createdAtMs: integer,
  lastUsedAtMs: integer,
  expiresAtMs: integer,
});

/** The part of a session that finds its row. */
type SessionRef = Pick<BrowserSession, "orgId" | "idHash">;

export class SqlBrowserSessionStore implements BrowserSessionStore {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  async add(
    session: BrowserSession,
    ownerSessionsMax: number,
    operation?: RecordedOperation,
  ): Promise<void> {
    const { orgId, owner, createdAtMs } = session;
    const ofOwner = sql`org_id = ${orgId} AND owner = ${owner}`;
    await this.#db.write(
      [
        sql`INSERT INTO browser_sessions (${SESSION.columns}) VALUES (${SESSION.values(session)})`,
        sql`DELETE FROM browser_sessions WHERE org_id = ${orgId} AND expires_at_ms <= ${createdAtMs}`,
        sql`DELETE FROM browser_sessions WHERE ${ofOwner} AND id_hash NOT IN (
          SELECT id_hash FROM browser_sessions WHERE ${ofOwner}
          ORDER BY created_at_ms DESC, id_hash LIMIT ${ownerSessionsMax})`,
      ],
      { operation },
    );
  }

  find(idHash: string): Promise<BrowserSession | undefined> {
    const query = sql`SELECT ${SESSION.columns} FROM browser_sessions WHERE id_hash = ${idHash}`;
    return this.#db.row(query, SESSION);
  }

  async recordUse({ orgId, idHash }: SessionRef, usedAtMs: number): Promise<void> {
    const lastUsed = greater(raw("last_used_at_ms"), sql`${usedAtMs}`);
    await this.#db.write([
      sql`UPDATE browser_sessions SET last_used_at_ms = ${lastUsed}
        WHERE org_id = ${orgId} AND id_hash = ${idHash}`,
    ]);
  }

  async remove({ orgId, idHash }: SessionRef, operation?: RecordedOperation): Promise<void> {
    const sessions = sql`DELETE FROM browser_sessions WHERE org_id = ${orgId} AND id_hash = ${idHash}`;
    await this.#db.write([sessions], { operation });
  }
}
