import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import { goodUntil, hashOf, parseKeyText } from "./api-key.js";
import { principalOf } from "./api-key-verifier.js";
import {
  isSessionId,
  newSessionId,
  ownerOf,
  sessionHash,
  type BrowserSession,
  type SessionProof,
} from "./browser-session.js";
import {
  API_KEY_TRUST_MS,
  OWNER_SESSIONS_MAX,
  SESSION_IDLE_MS,
  SESSION_MS_MAX,
  SESSION_USE_WRITE_MS,
} from "./limits.js";
import type { ApiKeyStore, BrowserSessionStore } from "./ports.js";
import type { Principal, Verified } from "./principal.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

/** Dependencies of the sessions. */
export interface BrowserSessionsOptions {
  readonly store: BrowserSessionStore;
  readonly apiKeys: ApiKeyStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A session that has just begun. */
export interface StartedSession {
  /** For the browser's cookie; secret. */
  readonly id: string;
  /** When it ends however often it is used, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * Sessions of people who signed in to the console with a browser. A session ends when it was not
 * used for {@link SESSION_IDLE_MS}, when it is {@link SESSION_MS_MAX} old, when its owner signs
 * out, and with its API key.
 */
export class BrowserSessions {
  readonly #options: BrowserSessionsOptions;

  constructor(options: BrowserSessionsOptions) {
    this.#options = options;
  }

  /**
   * Starts a session of an API key that was verified.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  startForKey(
    principal: Principal,
    keyText: string,
    operation?: RecordedOperation,
  ): Promise<StartedSession> {
    const { keyId, secret } = parseKeyText(keyText);
    const proof = { kind: "apiKey", keyId, secretHash: hashOf(secret) } as const;
    return this.#start(principal, proof, operation);
  }

  /**
   * Starts a session of a person whom an OpenID provider has authenticated.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  startForPerson(principal: Principal, operation?: RecordedOperation): Promise<StartedSession> {
    return this.#start(principal, { kind: "openid", principal }, operation);
  }

  /** As a `VerifyCredential`. */
  async verify(id: string): Promise<Verified> {
    const { store, clock } = this.#options;
    // Taken before the store is read, so that the cache time includes the read.
    const nowMs = clock.nowMs();
    const session = isSessionId(id) ? await store.find(sessionHash(id)) : undefined;
    if (session === undefined) throw ended("The session is unknown or was ended");
    const untilMs = Math.min(session.expiresAtMs, session.lastUsedAtMs + SESSION_IDLE_MS);
    if (nowMs >= untilMs) throw ended("The session has expired");
    const { principal, goodUntilMs } = await this.#ownerOf(session.proof, nowMs);
    await this.#noteUse(session, nowMs);
    return { principal, untilMs: Math.min(untilMs, goodUntilMs, nowMs + API_KEY_TRUST_MS) };
  }

  /**
   * When the session ends however often it is used, in milliseconds since the epoch; `undefined`
   * for an unknown one.
   */
  async expiry(id: string): Promise<number | undefined> {
    return isSessionId(id)
      ? (await this.#options.store.find(sessionHash(id)))?.expiresAtMs
      : undefined;
  }

  /** Ends a session; within a second no server accepts it. An unknown one is no error. */
  async end(id: string, operation?: RecordedOperation): Promise<void> {
    if (!isSessionId(id)) return;
    const { store } = this.#options;
    const session = await store.find(sessionHash(id));
    if (session !== undefined) await store.remove(session, operation);
  }

  async #start(
    principal: Principal,
    proof: SessionProof,
    operation: RecordedOperation | undefined,
  ): Promise<StartedSession> {
    const id = newSessionId();
    const nowMs = this.#options.clock.nowMs();
    const session = {
      ...{ orgId: principal.orgId, idHash: sessionHash(id), owner: ownerOf(principal), proof },
      ...{ createdAtMs: nowMs, lastUsedAtMs: nowMs, expiresAtMs: nowMs + SESSION_MS_MAX },
    };
    await this.#options.store.add(session, OWNER_SESSIONS_MAX, operation);
    return { id, expiresAtMs: session.expiresAtMs };
  }

  async #ownerOf(
    proof: SessionProof,
    nowMs: number,
  ): Promise<{ readonly principal: Principal; readonly goodUntilMs: number }> {
    if (proof.kind === "openid") return { principal: proof.principal, goodUntilMs: Infinity };
    const key = await this.#options.apiKeys.find(proof.keyId);
    const goodUntilMs = goodUntil(key, proof.secretHash, nowMs);
    assert(key !== undefined, "an unknown key is good for no time");
    return { principal: principalOf(key), goodUntilMs };
  }

  /** The time of the last use is a help for the idle time; a failure to write it ends nothing. */
  async #noteUse(session: BrowserSession, nowMs: number): Promise<void> {
    if (nowMs < session.lastUsedAtMs + SESSION_USE_WRITE_MS) return;
    const { store, log } = this.#options;
    try {
      await store.recordUse(session, nowMs);
    } catch (error) {
      log.warn({ err: error }, "the use of a browser session could not be written");
    }
  }
}

function ended(what: string): AppError {
  return new AppError("UNAUTHENTICATED", `${what}; sign in again`);
}
