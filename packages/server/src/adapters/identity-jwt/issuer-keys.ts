import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import type { Clock } from "@steward/kernel/clock.js";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import { AppError } from "@steward/kernel/errors.js";
import { JWKS_BYTES_MAX, JWKS_TIMEOUT_MS } from "../limits.js";
import { limitedText } from "../limited-text.js";

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly jwksUrl?: string;
  readonly cooldownMs?: number;
  readonly clock: Clock;
}

/** How long fetched keys are cached, in ms. */
const AGE_MAX_MS = 600_000;
/**
 * Minimum interval between fetches caused by unknown keys, in ms. Without the limit, tokens with
 * random key ids would cause a fetch each. It is short, because whoever causes a fetch delays the
 * notice of the issuer's next key by as much.
 */
const COOLDOWN_MS = 5_000;
/** Pause after a failed fetch, in ms. Without it, requests would queue up behind the time-out. */
const FAILURE_PAUSE_MS = 1_000;

/**
 * The public keys of one issuer. They are fetched when first needed, and again when a token names
 * an unknown key. A failure to fetch them is `IDENTITY_UNAVAILABLE`, because it says nothing about
 * the token.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: Promise<RemoteKeys> | undefined;
  #pausedUntilMs = 0;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** @throws AppError `IDENTITY_UNAVAILABLE`; the returned function throws it too. */
  async lookup(): Promise<JWTVerifyGetKey> {
    const opening = this.#keys ?? this.#open();
    this.#keys = opening;
    // After a failure, the next request retries.
    opening.catch(() => {
      if (this.#keys === opening) this.#keys = undefined;
    });
    const keys = await opening;
    // All tokens wait for the same fetch of the keys.
    return (header, token) => sharedResult(keys(header, token), "");
  }

  /** Discards the cached discovery document and keys. */
  forget(): void {
    this.#keys = undefined;
  }

  /** Fetches the keys now. @returns how many there are. @throws AppError `IDENTITY_UNAVAILABLE`. */
  async reach(): Promise<number> {
    const keys = await this.#open();
    await keys.reload();
    return keys.jwks()?.keys.length ?? 0;
  }

  async #open(): Promise<RemoteKeys> {
    const url = new URL(this.#options.jwksUrl ?? (await this.#discoveredUrl()));
    return createRemoteJWKSet(url, {
      timeoutDuration: JWKS_TIMEOUT_MS,
      cooldownDuration: this.#options.cooldownMs ?? COOLDOWN_MS,
      cacheMaxAge: AGE_MAX_MS,
      [customFetch]: async (href, { signal }) => Response.json(await this.#json(href, signal)),
    });
  }

  /** OpenID Connect Discovery 1.0 §4. */
  async #discoveredUrl(): Promise<string> {
    const { issuer } = this.#options;
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = await this.#json(url, AbortSignal.timeout(JWKS_TIMEOUT_MS));
    if (!isDiscovery(document) || document.issuer !== issuer || !isTrusted(document.jwks_uri)) {
      throw unavailable(`${url} does not describe the issuer ${issuer}`);
    }
    return document.jwks_uri;
  }

  async #json(url: string, signal: AbortSignal): Promise<unknown> {
    if (this.#options.clock.nowMs() < this.#pausedUntilMs)
      throw unavailable(`${url} could not be read just now`);
    try {
      const response = await fetch(url, {
        signal,
        redirect: "error",
        headers: { accept: "application/json" },
      });
      if (response.status !== 200) throw new Error(`it answers ${String(response.status)}`);
      const text = await limitedText(response, JWKS_BYTES_MAX);
      if (text === undefined) throw new Error(`it has more than ${String(JWKS_BYTES_MAX)} bytes`);
      return JSON.parse(text);
    } catch (cause) {
      this.#pausedUntilMs = this.#options.clock.nowMs() + FAILURE_PAUSE_MS;
      throw unavailable(`${url} cannot be read`, cause);
    }
  }
}

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

interface Discovery {
  readonly issuer: string;
  readonly jwks_uri: string;
}

function isDiscovery(value: unknown): value is Discovery {
  return (
    typeof value === "object" &&
    value !== null &&
    "issuer" in value &&
    "jwks_uri" in value &&
    typeof value.jwks_uri === "string"
  );
}

/** Requires TLS except on loopback, because keys fetched without TLS could be forged. */
function isTrusted(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
}

function unavailable(reason: string, cause?: unknown): AppError {
  return new AppError("IDENTITY_UNAVAILABLE", `The token cannot be verified now: ${reason}`, {
    cause,
    retryAfterMs: FAILURE_PAUSE_MS,
  });
}
