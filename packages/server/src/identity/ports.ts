import type { ApiKey } from "./api-key.js";

export type { ApiKey, ApiKeyDraft } from "./api-key.js";

/** Where a page of keys begins: after this key of the listing. */
export interface KeyPosition {
  readonly createdAtMs: number;
  readonly keyId: string;
}

/** When a key was used last, in milliseconds since the epoch. */
export interface KeyUse {
  readonly orgId: string;
  readonly keyId: string;
  readonly usedAtMs: number;
}

/**
 * Keeps API keys. What a method has changed is durable, and seen by every node, when it resolves.
 * Every method may reject with AppError `STORE_UNAVAILABLE`.
 */
export interface ApiKeyStore {
  /** Keeps a new key. */
  add(key: ApiKey): Promise<void>;

  /** The key of this id, of any organization; `undefined` when there is none. */
  find(keyId: string): Promise<ApiKey | undefined>;

  /** Keys of an organization, newest first, revoked ones too. @param after Absent: from the newest. */
  list(orgId: string, limit: number, after?: KeyPosition): Promise<readonly ApiKey[]>;

  /**
   * Gives a key a new secret; the present one stays good until `previousUntilMs`, and one before it
   * no longer is. @returns false, with nothing changed, for an unknown or revoked key.
   */
  rotate(
    key: { readonly orgId: string; readonly keyId: string },
    secretHash: string,
    previousUntilMs: number,
  ): Promise<boolean>;

  /** Revokes a key for good. @returns false for an unknown key; true for one that was revoked before. */
  revoke(orgId: string, keyId: string, nowMs: number): Promise<boolean>;

  /** Notes when keys were used; an earlier time than the one known changes nothing. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}
