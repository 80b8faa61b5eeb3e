import { setTimeout as sleep } from "node:timers/promises";
import {
  EmbeddingError,
  type BatchEmbeddingProvider,
  type EmbedOptions,
} from "../../embedding/index.js";
import { backoffMs } from "../../kernel/backoff.js";
import { assert } from "../../kernel/assert.js";
import type { Clock } from "../../kernel/clock.js";
import { malformed, type EmbeddingWire } from "./embedding-wire.js";
import { attempt, type AttemptResult, type HttpRequest } from "./http-attempt.js";

/** Longest pause that a service may ask for; beyond it the caller hears of the limit at once. */
const RETRY_AFTER_MS_MAX = 30_000;

/** How an embedding service is called. */
export interface HttpEmbeddingOptions {
  /** Where the API is; absent: the wire's own. */
  readonly baseUrl?: string;
  /** Length of the model's vectors. */
  readonly dimension: number;
  /** Texts one request carries at most; absent: what the API takes. */
  readonly batchSizeMax?: number;
  /** Milliseconds one attempt may take. */
  readonly timeoutMs: number;
  /** Attempts of one request, the first included. */
  readonly attemptsMax: number;
  /** First pause before a retry, in ms; doubles each time, with full jitter. */
  readonly retryBaseMs: number;
  readonly clock: Clock;
  /** In [0, 1): the jitter. */
  readonly random: () => number;
}

/** Asks an embedding service over HTTP: in batches, with time limits and retries. */
export class HttpEmbeddingProvider implements BatchEmbeddingProvider {
  readonly #wire: EmbeddingWire;
  readonly #options: HttpEmbeddingOptions;
  readonly #url: URL;

  /** @throws EmbeddingError `model_not_configured` when the base URL is none. */
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
