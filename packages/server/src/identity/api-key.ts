import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "@steward/kernel/errors.js";

/**
 * The environment of a key: production or tests. It is part of the key's text, for people to see.
 */
export type KeyEnvironment = "live" | "test";

/** The attributes that the creator of a key chooses. */
export interface ApiKeyDraft {
  readonly orgId: string;
  readonly environment: KeyEnvironment;
  /** A name for people, chosen by the creator of the key. */
  readonly name: string;
  /** The agent that uses the key; absent: a person, or a program if no user is named either. */
  readonly agentId?: string;
  /** The person whose key it is; with an agent, the person that the agent acts for. */
  readonly userId?: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  /** Scopes that limit the key; empty: only its roles and permissions limit it. */
  readonly scopes: readonly string[];
  readonly expiresAtMs?: number;
}

/** A stored API key, without its secret. Times are milliseconds since the epoch. */
export interface ApiKey extends ApiKeyDraft {
  /** 24 hexadecimal digits. */
  readonly keyId: string;
  readonly createdAtMs: number;
  /** SHA-256 of the secret, hexadecimal. */
  readonly secretHash: string;
  /** The secret before the last rotation, and the end of its validity. */
  readonly previous?: { readonly secretHash: string; readonly untilMs: number };
  /** Written periodically, not with each request. */
  readonly lastUsedAtMs?: number;
  readonly revokedAtMs?: number;
}

/** The parts of the key's text. */
export interface ShownKey {
  readonly keyId: string;
  readonly secret: string;
}

/** Random bytes of an id and of a secret: an id must be unique, a secret unguessable. */
const ID_BYTES = 12;
const SECRET_BYTES = 32;

export function newKeyId(): string {
  return randomBytes(ID_BYTES).toString("hex");
}

/** A new secret, 256 bits. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("hex");
}

/** The key's text: `stw_<live|test>_<id>_<secret>` (Decision §15). */
export function keyText(environment: KeyEnvironment, { keyId, secret }: ShownKey): string {
  return `stw_${environment}_${keyId}_${secret}`;
}

/** @throws AppError `UNAUTHENTICATED` when a text is not an API key. */
export function parseKeyText(text: string): ShownKey {
  const [, keyId, secret] = KEY_TEXT.exec(text) ?? [];
  if (keyId !== undefined && secret !== undefined) return { keyId, secret };
  throw new AppError(
    "UNAUTHENTICATED",
    "The API key is malformed: it must be the whole text that was shown when it was created",
  );
}

/** The public part of a key's text, whatever follows it; `undefined` without one. */
export function keyClaim(text: string): string | undefined {
  return /^stw_(?:live|test)_[0-9a-f]{24}(?=_)/.exec(text)?.[0];
}

const KEY_TEXT = /^stw_(?:live|test)_([0-9a-f]{24})_([0-9a-f]{64})$/;

/** The stored hash of a secret. A fast hash is enough, because secrets are random. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/**
 * The end of a secret's validity, in milliseconds since the epoch; `Infinity` without a limit.
 * @param shown Hash of the secret.
 * @throws AppError `UNAUTHENTICATED`.
 */
export function goodUntil(key: ApiKey | undefined, shown: string, nowMs: number): number {
  const { previous } = key ?? {};
  // Without a key a hash is compared too, so that the response time does not reveal which ids
  // exist.
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

/** Has the length of a hash but is none. */
const NO_HASH = "-".repeat(64);

function isSame(hash: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(other));
}
