import type { CallerKind } from "@steward/kernel/caller.js";
import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import { API_KEY_TRUST_MS, API_KEY_USES_FLUSH_MS, VERIFIED_CREDENTIALS_MAX } from "./limits.js";
import type { Log } from "@steward/kernel/log.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import { goodUntil, hashOf, parseKeyText, type ApiKey } from "./api-key.js";
import type { ApiKeyStore, KeyUse } from "./ports.js";
import type { Principal, Verified } from "./principal.js";

/** Dependencies of the verifier. */
export interface ApiKeyVerifierOptions {
  readonly store: ApiKeyStore;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Verifies API keys against the store. A result is cached for {@link API_KEY_TRUST_MS}, which
 * bounds how long a node may miss a revocation, even if notifications between nodes are lost. Times
 * of use are written periodically.
 */
export class ApiKeyVerifier implements AsyncDisposable {
  readonly #options: ApiKeyVerifierOptions;
  /** Unwritten uses by key id. */
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
    // Taken before the store is read, so that the cache time includes the read.
    const nowMs = clock.nowMs();
    const key = await store.find(keyId);
    const untilMs = Math.min(goodUntil(key, hashOf(secret), nowMs), nowMs + API_KEY_TRUST_MS);
    assert(key !== undefined, "an unknown key is good for no time");
    this.#note({ orgId: key.orgId, keyId, usedAtMs: nowMs });
    return { principal: principalOf(key), untilMs };
  }

  /** Writes the remaining uses. */
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
      // A newer use takes precedence.
      for (const use of uses) if (!this.#uses.has(use.keyId)) this.#note(use);
      throw error;
    }
    return "idle";
  }
}

function kindOfOwner({ agentId, userId }: ApiKey): CallerKind {
  if (agentId !== undefined) return "agent";
  return userId === undefined ? "apiKey" : "person";
}

/** The owner of a key. */
export function principalOf(key: ApiKey): Principal {
  const { orgId, keyId, agentId, userId, roles, permissions, scopes } = key;
  return {
    orgId,
    kind: kindOfOwner(key),
    authenticatedBy: "apikey",
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    roles,
    permissions,
    keyId,
    ...(scopes.length === 0 ? {} : { scopes }),
  };
}
