import { setTimeout as sleep } from "node:timers/promises";
import {
  EmbeddingError,
  type BatchEmbeddingProvider,
  type EmbedOptions,
} from "../../embedding/index.js";
import { backoffMs } from "@steward/kernel/concurrency/backoff.js";
import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import { malformed, type EmbeddingWire } from "./embedding-wire.js";
import { attempt, type AttemptResult, type HttpRequest } from "./http-attempt.js";

/**
 * Longest requested wait that is accepted, in ms. A longer one is reported to the caller at once.
 */
const RETRY_AFTER_MS_MAX = 30_000;

export interface HttpEmbeddingOptions {
  /** Base URL of the API; absent: the API's default. */
  readonly baseUrl?: string;
  /** Length of the model's vectors. */
  readonly dimension: number;
  /** Limit of texts per request; absent: the API's limit. */
  readonly batchSizeMax?: number;
  /** Time limit of one attempt, in ms. */
  readonly timeoutMs: number;
  /** Attempts of one request, the first included. */
  readonly attemptsMax: number;
  /** Pause before the first retry, in ms; it doubles with each retry, with full jitter. */
  readonly retryBaseMs: number;
  readonly clock: Clock;
  /** Random source in [0, 1) for the jitter. */
  readonly random: () => number;
}

/** An embedding provider over HTTP, with batches, time limits and retries. */
export class HttpEmbeddingProvider implements BatchEmbeddingProvider {
  readonly #wire: EmbeddingWire;
  readonly #options: HttpEmbeddingOptions;
  readonly #url: URL;

  /** @throws EmbeddingError `model_not_configured` when the base URL is invalid. */
  constructor(wire: EmbeddingWire, options: HttpEmbeddingOptions) {
    this.#wire = wire;
    this.#options = options;
    this.#url = endpoint(options.baseUrl ?? wire.defaultBaseUrl, wire.path);
  }

  async embed(text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    const [vector] = await this.embedMany([text], options);
    assert(vector !== undefined, "a batch of one text has one vector");
    return vector;
  }

  async embedMany(
    texts: readonly string[],
    options: EmbedOptions = {},
  ): Promise<readonly Float32Array[]> {
    const size = this.#options.batchSizeMax ?? this.#wire.batchSizeMax;
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += size) {
      vectors.push(...(await this.#embedBatch(texts.slice(start, start + size), options)));
    }
    return vectors;
  }

  dimension(): number {
    return this.#options.dimension;
  }

  async #embedBatch(
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<readonly Float32Array[]> {
    const request: HttpRequest = {
      url: this.#url,
      headers: this.#wire.headers,
      body: JSON.stringify(this.#wire.body(texts, options.inputType ?? "document")),
    };
    const vectors = this.#wire.vectors(await this.#answer(request, options.signal));
    if (vectors.length !== texts.length) {
      throw malformed(`${vectors.length} vectors for ${texts.length} texts`);
    }
    return vectors;
  }

  async #answer(request: HttpRequest, signal: AbortSignal | undefined): Promise<unknown> {
    const { timeoutMs, attemptsMax, clock } = this.#options;
    for (let number = 1; ; number += 1) {
      const result = await attempt(request, {
        timeoutMs,
        clock,
        ...(signal === undefined ? {} : { signal }),
      });
      if (result.kind === "answered") return result.answer;
      const pauseMs = this.#pauseMs(result, number);
      const over = !result.error.retryable || number >= attemptsMax || pauseMs > RETRY_AFTER_MS_MAX;
      if (over) throw result.error;
      await pause(pauseMs, signal);
    }
  }

  #pauseMs(result: AttemptResult & { kind: "failed" }, number: number): number {
    const { retryBaseMs, random } = this.#options;
    const backoff = { baseMs: retryBaseMs, capMs: RETRY_AFTER_MS_MAX };
    return result.retryAfterMs ?? backoffMs(backoff, number, random());
  }
}

/** @throws the signal's reason when that is aborted meanwhile. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

function endpoint(baseUrl: string, path: string): URL {
  const text = baseUrl.replace(/\/+$/, "") + path;
  if (!/^https?:/i.test(text) || !URL.canParse(text)) {
    throw new EmbeddingError(
      "model_not_configured",
      "SERVICE_EMBEDDING_BASE_URL is not a URL such as https://api.openai.com/v1",
    );
  }
  return new URL(text);
}
