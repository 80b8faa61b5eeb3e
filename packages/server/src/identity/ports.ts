import type { ApiKey } from "./api-key.js";

export type { ApiKey, ApiKeyDraft } from "./api-key.js";

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
  add(key: ApiKey): Promise<void>;

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
  ): Promise<boolean>;

  /**
   * Revokes a key permanently. @returns false for an unknown key; true for a key that was revoked
   * before.
   */
  revoke(orgId: string, keyId: string, nowMs: number): Promise<boolean>;

  /** Records when keys were used; a time earlier than the recorded one changes nothing. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}
