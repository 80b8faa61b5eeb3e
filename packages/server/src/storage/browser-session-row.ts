import type { BrowserSession, SessionProof } from "../identity/ports.js";

/** A row of `browser_sessions`, with integers as numbers. */
export interface BrowserSessionRow {
  readonly org_id: string;
  readonly id_hash: string;
  readonly owner: string;
  /** The proof with which the owner signed in, as JSON. */
  readonly proof: string;
  readonly created_at_ms: number;
  readonly last_used_at_ms: number;
  readonly expires_at_ms: number;
}

/** The columns, in the order in which both engines read and write them. */
export const BROWSER_SESSION_COLUMNS: string =
  "org_id, id_hash, owner, proof, created_at_ms, last_used_at_ms, expires_at_ms";

/** The values of a session's row, in the order of the columns. */
export function browserSessionValues(session: BrowserSession): readonly (string | number)[] {
  const { orgId, idHash, owner, proof, createdAtMs, lastUsedAtMs, expiresAtMs } = session;
  return [orgId, idHash, owner, JSON.stringify(proof), createdAtMs, lastUsedAtMs, expiresAtMs];
}

/** The session in a row. */
export function browserSessionOf(row: BrowserSessionRow): BrowserSession {
  return {
    orgId: row.org_id,
    idHash: row.id_hash,
    owner: row.owner,
    // Written by `browserSessionValues`.
    proof: JSON.parse(row.proof) as SessionProof,
    createdAtMs: row.created_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
