import type { ApiKey } from "./api-key.js";
import type { BrowserSession } from "./browser-session.js";
import type { Principal } from "./principal.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

export type { ApiKey, ApiKeyDraft } from "./api-key.js";
export type { BrowserSession, SessionProof } from "./browser-session.js";

/** The start of a page of keys: after this key of the listing. */
export interface KeyPosition {
  readonly createdAtMs: number;
  readonly keyId: string;
}

/** The time at which a key was last used, in milliseconds since the epoch. */
export interface KeyUse {
  readonly orgId: string;
  readonly keyId: string;
  readonly usedAtMs: number;
}

/**
 * Stores API keys. Changes are durable, and visible to every node, when a method resolves. Every
 * method may reject with AppError `STORE_UNAVAILABLE`.
 */
export interface ApiKeyStore {
  /** Adds a new key. */
  add(key: ApiKey, operation?: RecordedOperation): Promise<void>;

  /** The key of this id, of any organization; `undefined` when there is none. */
  find(keyId: string): Promise<ApiKey | undefined>;

  /**
   * Keys of an organization, newest first, including revoked ones. @param after absent: from the
   * newest.
   */
  list(orgId: string, limit: number, after?: KeyPosition): Promise<readonly ApiKey[]>;

  /**
   * Gives a key a new secret. The present one stays valid until `previousUntilMs`; an earlier one
   * becomes invalid. @returns false, with nothing changed, for an unknown or revoked key.
   */
  rotate(
    key: { readonly orgId: string; readonly keyId: string },
    secretHash: string,
    previousUntilMs: number,
    operation?: RecordedOperation,
  ): Promise<boolean>;

  /**
   * Revokes a key permanently. @returns false for an unknown key; true for a key that was revoked
   * before.
   */
  revoke(
    orgId: string,
    keyId: string,
    nowMs: number,
    operation?: RecordedOperation,
  ): Promise<boolean>;

  /** Records when keys were used; a time earlier than the recorded one changes nothing. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}

/**
 * Stores sessions of browsers. Changes are durable, and visible to every node, when a method
 * resolves. Every method may reject with AppError `STORE_UNAVAILABLE`.
 */
export interface BrowserSessionStore {
  /**
   * Adds a session. Of the sessions with its owner only the newest remain, and the organization's
   * expired ones are deleted.
   * @param ownerSessionsMax How many sessions of the owner remain, the new one included.
   */
  add(
    session: BrowserSession,
    ownerSessionsMax: number,
    operation?: RecordedOperation,
  ): Promise<void>;

  /** The session with this hash, of any organization; `undefined` when there is none. */
  find(idHash: string): Promise<BrowserSession | undefined>;

  /** Records when a session was used; a time earlier than the recorded one changes nothing. */
  recordUse(session: Pick<BrowserSession, "orgId" | "idHash">, usedAtMs: number): Promise<void>;

  /** Deletes a session; an unknown one is no error. */
  remove(
    session: Pick<BrowserSession, "orgId" | "idHash">,
    operation?: RecordedOperation,
  ): Promise<void>;
}

/** A sign-in at an OpenID provider that has begun. The browser that began it holds the secrets. */
export interface OpenIdTransaction {
  /** The value of `state` (RFC 6749 §10.12). */
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE (RFC 7636 §4.1). */
  readonly codeVerifier: string;
  /** The redirect URI, which has to be the same at both ends. */
  readonly redirectUri: string;
}

/** An OpenID provider at which people sign in, by the authorization code flow with PKCE. */
export interface OpenIdProvider {
  /**
   * Begins a sign-in.
   * @returns the provider's page to send the browser to, and what the browser has to bring back.
   * @throws AppError `IDENTITY_UNAVAILABLE` when the provider does not answer.
   */
  begin(
    redirectUri: string,
  ): Promise<{ readonly page: URL; readonly transaction: OpenIdTransaction }>;

  /**
   * Finishes a sign-in.
   * @param parameters The query with which the provider redirected the browser.
   * @throws AppError `UNAUTHENTICATED` when the provider refuses, or an answer does not belong to
   * the transaction; `IDENTITY_UNAVAILABLE` when the provider does not answer.
   */
  finish(parameters: URLSearchParams, transaction: OpenIdTransaction): Promise<Principal>;
}
