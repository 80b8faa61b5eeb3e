import { EmbeddingError } from "../../embedding/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import { limitedText } from "../limited-text.js";
import { malformed } from "./embedding-wire.js";

/** Limit of a response, in bytes: 100 vectors of 16 384 components as decimal text. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** One request to an embedding service. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** Result of one attempt. */
export type AttemptResult =
  | { readonly kind: "answered"; readonly answer: unknown }
  | {
      readonly kind: "failed";
      readonly error: EmbeddingError;
      /** The wait that the service requested, in ms. */
      readonly retryAfterMs: number | undefined;
    };

/**
 * Sends one request and parses the JSON response. The service's error texts are discarded, because
 * some of them quote the API key.
 * @throws the signal's reason when the signal is aborted; nothing else.
 */
export async function attempt(
  request: HttpRequest,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal; readonly clock: Clock },
): Promise<AttemptResult> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any(
    options.signal === undefined ? [timeout] : [timeout, options.signal],
  );
  try {
    return await exchange(request, signal, options.clock);
  } catch (error) {
    options.signal?.throwIfAborted();
    const what = timeout.aborted
      ? `did not answer within ${options.timeoutMs} ms`
      : "could not be reached, or broke off";
    return failed("transport", `the embedding service at ${request.url.host} ${what}`, {
      cause: error,
    });
  }
}

async function exchange(
  request: HttpRequest,
  signal: AbortSignal,
  clock: Clock,
): Promise<AttemptResult> {
  const response = await fetch(request.url, {
    method: "POST",
    headers: { ...request.headers, "content-type": "application/json", accept: "application/json" },
    body: request.body,
    // Following a redirect would send the key to a host that nobody has configured.
    redirect: "error",
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    return refused(response, request.url.host, clock);
  }
  const text = await limitedText(response, ANSWER_BYTES_MAX);
  return text === undefined
    ? { kind: "failed", error: malformed("it is too large"), retryAfterMs: undefined }
    : parsed(text);
}

function parsed(text: string): AttemptResult {
  try {
    return { kind: "answered", answer: JSON.parse(text) as unknown };
  } catch (error) {
    return { kind: "failed", error: malformed("it is not JSON", error), retryAfterMs: undefined };
  }
}

function refused(response: Response, host: string, clock: Clock): AttemptResult {
  const failure = `the embedding service at ${host} answered ${response.status}`;
  switch (response.status) {
    case 401:
    case 403:
      return failed("model_not_configured", `${failure}: check SERVICE_EMBEDDING_API_KEY`);
    case 404:
      return failed(
        "model_not_configured",
        `${failure}: check SERVICE_EMBEDDING_MODEL and SERVICE_EMBEDDING_BASE_URL`,
      );
    case 408:
      return failed("transport", failure, { retryAfterMs: retryAfterMs(response, clock) });
    case 429: {
      const waitMs = retryAfterMs(response, clock);
      const again =
        waitMs === undefined ? "in a while" : `in ${String(Math.ceil(waitMs / 1000))} s`;
      const busy = `${failure}: it accepts no more requests now; try again ${again}`;
      return failed("transport", busy, { retryAfterMs: waitMs });
    }
    default:
      return failed("transport", failure, {
        retryable: response.status >= 500,
        retryAfterMs: retryAfterMs(response, clock),
      });
  }
}

function failed(
  reason: EmbeddingError["reason"],
  message: string,
  options: {
    readonly retryable?: boolean;
    readonly retryAfterMs?: number | undefined;
    readonly cause?: unknown;
  } = {},
): AttemptResult {
  const { retryAfterMs, ...errorOptions } = options;
  return { kind: "failed", error: new EmbeddingError(reason, message, errorOptions), retryAfterMs };
}

/** Parses `Retry-After`: a number of seconds or an HTTP date (RFC 9110 §10.2.3). */
function retryAfterMs(response: Response, clock: Clock): number | undefined {
  const header = response.headers.get("retry-after");
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock.nowMs();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
