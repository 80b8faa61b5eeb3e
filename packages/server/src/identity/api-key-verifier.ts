import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import {
  API_KEY_TRUST_MS,
  API_KEY_USES_FLUSH_MS,
  VERIFIED_CREDENTIALS_MAX,
} from "@steward/kernel/limits.js";
import type { Log } from "@steward/kernel/log.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import { goodUntil, parseKeyText, type ApiKey } from "./api-key.js";
import type { ApiKeyStore, KeyUse } from "./ports.js";
import type { Principal, Verified } from "./principal.js";

/** What the verifier is built on. */
export interface ApiKeyVerifierOptions {
  readonly store: ApiKeyStore;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Verifies API keys against the store. A verdict holds for {@link API_KEY_TRUST_MS}, which is how long
 * a revocation may take to be seen by a node, whatever becomes of notifications between nodes. When keys were
 * used is written now and then.
 */
export class ApiKeyVerifier implements AsyncDisposable {
  readonly #options: ApiKeyVerifierOptions;
  /** By key id: what has not been written. */
  readonly #uses = new Map<string, KeyUse>();
  readonly #loop: WorkerLoop;

  constructor(options: ApiKeyVerifierOptions) {
    this.#options = options;
    this.#loop = new WorkerLoop({
      name: "writing the last uses of API keys",
      work: () => this.#flush(),
      pollMs: API_KEY_USES_FLUSH_MS,
      begin: "later",
      end: "drain",
      log: options.log,
    });
  }

  /** As a `VerifyCredential`. */
  async verify(text: string): Promise<Verified> {
    const { store, clock } = this.#options;
    const { keyId, secret } = parseKeyText(text);
    // Before the store is read: what is revoked while it answers counts from now.
    const nowMs = clock.nowMs();
    const key = await store.find(keyId);
    const untilMs = Math.min(goodUntil(key, secret, nowMs), nowMs + API_KEY_TRUST_MS);
    assert(key !== undefined, "an unknown key is good for no time");
    this.#note({ orgId: key.orgId, keyId, usedAtMs: nowMs });
    return { principal: principalOf(key), untilMs };
  }

  /** Writes what is left to write. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  #note(use: KeyUse): void {
    if (this.#uses.size < VERIFIED_CREDENTIALS_MAX || this.#uses.has(use.keyId)) {
      this.#uses.set(use.keyId, use);
    }
  }

  async #flush(): Promise<BatchEnd> {
    const uses = [...this.#uses.values()];
    if (uses.length === 0) return "idle";
    this.#uses.clear();
    try {
      await this.#options.store.recordUses(uses);
    } catch (error) {
      // A use since then says more.
      for (const use of uses) if (!this.#uses.has(use.keyId)) this.#note(use);
      throw error;
    }
    return "idle";
  }
}

function principalOf(key: ApiKey): Principal {
  const { orgId, keyId, agentId, userId, roles, permissions, scopes } = key;
  return {
    orgId,
    kind: agentId === undefined ? "apiKey" : "agent",
    authenticatedBy: "apikey",
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    roles,
    permissions,
    keyId,
    ...(scopes.length === 0 ? {} : { scopes }),
  };
}
