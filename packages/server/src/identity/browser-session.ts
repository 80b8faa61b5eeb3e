import { randomBytes } from "node:crypto";
import { hashOf } from "./api-key.js";
import type { Principal } from "./principal.js";

/**
 * The proof with which a person signed in. The session of an API key ends with the key: only the
 * key's id and the SHA-256 of its secret are stored, and both are verified again. The session of a
 * person of an OpenID provider stores who the provider said it is.
 */
export type SessionProof =
  | { readonly kind: "apiKey"; readonly keyId: string; readonly secretHash: string }
  | { readonly kind: "openid"; readonly principal: Principal };

/** A stored session of a browser. Times are milliseconds since the epoch. */
export interface BrowserSession {
  readonly orgId: string;
  /** SHA-256 of the session's id, hexadecimal. The id itself is only in the browser's cookie. */
  readonly idHash: string;
  /** The key or person that the session belongs to, for the limit of sessions. */
  readonly owner: string;
  readonly proof: SessionProof;
  readonly createdAtMs: number;
  /** Written at most once a minute. */
  readonly lastUsedAtMs: number;
  /** When it ends however often it is used. */
  readonly expiresAtMs: number;
}

/** Random bytes of a session's id. */
const ID_BYTES = 32;

/** A new id, 256 bits. */
export function newSessionId(): string {
  return randomBytes(ID_BYTES).toString("base64url");
}

/** Whether a text has the form of a session's id. */
export function isSessionId(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The stored hash of an id. A fast hash is enough, because ids are random. */
export function sessionHash(id: string): string {
  return hashOf(id);
}

/** The name of a session's owner: a key, or a person by the provider's name. */
export function ownerOf(principal: Principal): string {
  const { keyId, agentId, userId = "" } = principal;
  if (keyId !== undefined) return `key:${keyId}`;
  return agentId === undefined ? `person:${userId}` : `agent:${agentId}:${userId}`;
}
