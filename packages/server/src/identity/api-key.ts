import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "@steward/kernel/errors.js";

/** What a key is for: real work, or trying out. It stands in the key's text, so that people see it. */
export type KeyEnvironment = "live" | "test";

/** What the creator of a key says of it. */
export interface ApiKeyDraft {
  readonly orgId: string;
  readonly environment: KeyEnvironment;
  /** For people. */
  readonly name: string;
  /** The agent that uses the key; absent: a program of its own. */
  readonly agentId?: string;
  /** The user that the agent acts for. */
  readonly userId?: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  /** What the key is limited to; empty: to nothing beyond its roles and permissions. */
  readonly scopes: readonly string[];
  readonly expiresAtMs?: number;
}

/** An API key as it is kept: without its secret. Times are milliseconds since the epoch. */
export interface ApiKey extends ApiKeyDraft {
  /** 24 hexadecimal digits. */
  readonly keyId: string;
  readonly createdAtMs: number;
  /** SHA-256 of the secret, hexadecimal. */
  readonly secretHash: string;
  /** The secret before the last rotation, and until when it is good as well. */
  readonly previous?: { readonly secretHash: string; readonly untilMs: number };
  /** Written now and then, not with each request. */
  readonly lastUsedAtMs?: number;
  readonly revokedAtMs?: number;
}

/** The parts of the text that a client shows. */
export interface ShownKey {
  readonly keyId: string;
  readonly secret: string;
}

/** Random bytes of an id and of a secret: an id must be rare, a secret cannot be guessed. */
const ID_BYTES = 12;
const SECRET_BYTES = 32;

/** A new key's id. */
export function newKeyId(): string {
  return randomBytes(ID_BYTES).toString("hex");
}

/** A new secret, 256 bits. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("hex");
}

/** The text that a client shows: `stw_<live|test>_<id>_<secret>` (Decision §15). */
export function keyText(environment: KeyEnvironment, { keyId, secret }: ShownKey): string {
  return `stw_${environment}_${keyId}_${secret}`;
}

/** @throws AppError `UNAUTHENTICATED` when a text is no API key. */
export function parseKeyText(text: string): ShownKey {
  const [, keyId, secret] = KEY_TEXT.exec(text) ?? [];
  if (keyId !== undefined && secret !== undefined) return { keyId, secret };
  throw new AppError(
    "UNAUTHENTICATED",
    "The API key is malformed: it must be the whole text that was shown when it was created",
  );
}

const KEY_TEXT = /^stw_(?:live|test)_([0-9a-f]{24})_([0-9a-f]{64})$/;

/** What is kept of a secret. It is random, so that no slow hash has to make up for a guessable one. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/**
 * Until when a secret opens a key, in milliseconds since the epoch; `Infinity` when without limit.
 * @throws AppError `UNAUTHENTICATED`.
 */
export function goodUntil(key: ApiKey | undefined, secret: string, nowMs: number): number {
  const shown = hashOf(secret);
  const { previous } = key ?? {};
  // Without a key a hash is compared all the same: how long it takes does not tell which ids there are.
  const isCurrent = isSame(shown, key?.secretHash ?? NO_HASH);
  const isPrevious = previous !== undefined && isSame(shown, previous.secretHash);
  if (key === undefined || (!isCurrent && !isPrevious)) {
    throw new AppError("UNAUTHENTICATED", "The API key is unknown");
  }
  if (key.revokedAtMs !== undefined) {
    throw new AppError("UNAUTHENTICATED", "The API key was revoked; use another key");
  }
  const { expiresAtMs = Infinity } = key;
  if (nowMs >= expiresAtMs) {
    throw new AppError("UNAUTHENTICATED", "The API key has expired; use a new one");
  }
  if (isCurrent) return expiresAtMs;
  const untilMs = Math.min(previous?.untilMs ?? 0, expiresAtMs);
  if (nowMs < untilMs) return untilMs;
  throw new AppError("UNAUTHENTICATED", "The API key was rotated; use its new secret");
}

/** As long as a hash, and none. */
const NO_HASH = "-".repeat(64);

function isSame(hash: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(other));
}
