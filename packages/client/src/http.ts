import type { Data, ErrorBody } from "@steward/protocol/rest";
import { backoffMs, pause } from "./backoff.js";
import { parseOrdered } from "./ordered-json.js";
import { StewardError } from "./steward-error.js";
import { TimeLimit } from "./time-limit.js";

/** Default number of retries of an idempotent call. */
const RETRIES_MAX = 3;
/**
 * For how long a call is tried again when the server cannot be reached, in ms, once the server has
 * answered this client: it is being restarted.
 */
const RESTART_MS_MAX = 30_000;
/**
 * An attempt that fails after this time in ms had reached the server, so it does not count as a
 * retry: the next attempt joins the same work. Runtimes abort a request after minutes without a
 * response.
 */
const TRY_LONG_MS = 60_000;
/** Longest Retry-After that is waited for, in ms. A longer one is reported to the caller. */
const RETRY_AFTER_MS_MAX = 30_000;

/** A body that is streamed, without being held in memory as a whole. */
export type StreamedBody = ReadableStream<Uint8Array> | Blob | string;

/** One call to the server. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the base URL, with a leading slash; segments are escaped already. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A streamed body, sent unchanged instead of `body`; `headers` contains its content type. */
  readonly stream?: StreamedBody;
  /** Whether the call may be repeated safely, so that it is retried. */
  readonly idempotent: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Sends calls to the server. */
export interface Http {
  /** The origin of the server's URL, for messages. */
  readonly server: string;
  /**
   * @returns the `data` of the response.
   * @throws StewardError; the signal's reason when it is aborted.
   */
  call<Payload>(request: HttpRequest): Promise<Payload>;
  /**
   * Like `call`, for a response without the JSON envelope of the REST API.
   * @param read receives responses with a status of success only.
   */
  exchange<Result>(
    request: HttpRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result>;
  /**
   * A response whose body is streamed; one attempt only.
   * @throws as `call`.
   */
  open(request: HttpRequest): Promise<Response>;
}

export interface HttpOptions {
  readonly baseUrl: string;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Time limit of one attempt, in ms; absent: no limit. */
  readonly timeout?: number | undefined;
  /** Number of retries of an idempotent call; absent: 3, and more while the server is restarted. */
  readonly maxRetries?: number | undefined;
}

/** Creates an Http that uses `fetch`. */
export function createHttp(options: HttpOptions): Http {
  const server = new URL(options.baseUrl).origin;
  let hasAnswered = false;
  const attempt = async <T>(
    request: HttpRequest,
    read: (response: Response) => T | Promise<T>,
  ): Promise<T> => {
    const limit = new TimeLimit(options.timeout, request.signal);
    try {
      const response = await send(options, { ...request, signal: limit.signal });
      hasAnswered = true;
      return await read(response);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw limit.hasPassed
        ? StewardError.late(server, limit.ms)
        : StewardError.from(error, server);
    } finally {
      limit.clear();
    }
  };
  const { maxRetries } = options;
  const isRestarted = ({ code }: StewardError): boolean =>
    hasAnswered && maxRetries === undefined && code === "UNREACHABLE";
  return {
    server,
    open: async (request) => attempt(request, (response) => response),
    call: async <Payload>(request: HttpRequest) =>
      retrying(request, { maxRetries, isRestarted }, async () =>
        attempt(request, readData<Payload>),
      ),
    exchange: async (request, read) =>
      retrying(request, { maxRetries, isRestarted }, async () => attempt(request, read)),
  };
}

/** When a call is tried again. */
interface Retries {
  readonly maxRetries: number | undefined;
  /** Whether the failure means that the server is being restarted. */
  readonly isRestarted: (failure: StewardError) => boolean;
}

async function retrying<T>(
  request: HttpRequest,
  { maxRetries = RETRIES_MAX, isRestarted }: Retries,
  attempt: () => Promise<T>,
): Promise<T> {
  let awayAtMs: number | undefined;
  for (let tries = 1; ; tries += 1) {
    const startedMs = Date.now();
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof StewardError)) throw failure;
      if (Date.now() - startedMs > TRY_LONG_MS) tries = 1;
      const wait = failure.retryAfterMs ?? backoffMs(tries);
      const hopeless = !request.idempotent || !failure.isTransient || wait > RETRY_AFTER_MS_MAX;
      awayAtMs = isRestarted(failure) ? (awayAtMs ?? Date.now()) : undefined;
      const hasTime = awayAtMs !== undefined && Date.now() - awayAtMs < RESTART_MS_MAX;
      if (hopeless || (tries > maxRetries && !hasTime)) throw failure;
      await pause(wait, request.signal);
    }
  }
}

async function send(options: HttpOptions, request: HttpRequest): Promise<Response> {
  const { method, body, stream, signal } = request;
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const response = await options.fetch(urlOf(options.baseUrl, request), {
    method,
    headers: { accept: "application/json", ...options.headers, ...json, ...request.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // Streaming requires "half" duplex: the response is only read after the whole body was sent.
    ...(stream === undefined ? {} : { body: stream, duplex: "half" as const }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await readError(response);
  return response;
}

function urlOf(baseUrl: string, { path, query = {} }: HttpRequest): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

async function readData<Payload>(response: Response): Promise<Payload> {
  const body = parseJson(await response.text());
  if (!isObject(body) || !("data" in body)) throw badResponse(response);
  // The server validates the payload against its own schemas.
  return (body as unknown as Data<Payload>).data;
}

/** The error that a message of an event stream tells; `undefined`: it is none. */
export function streamError(data: string): StewardError | undefined {
  const body = errorBody(parseJson(data));
  if (body === undefined) return undefined;
  const { error, code, details } = body;
  return new StewardError(code, error, details === undefined ? {} : { details });
}

async function readError(response: Response): Promise<StewardError> {
  const body = errorBody(parseJson(await response.text()));
  if (body === undefined) return badResponse(response);
  const { error, code, details } = body;
  const seconds = response.headers.get("retry-after") ?? "";
  return new StewardError(code, error, {
    status: response.status,
    ...requestIdOf(response),
    ...(details === undefined ? {} : { details }),
    ...(/^\d{1,9}$/.test(seconds) ? { retryAfterMs: Number(seconds) * 1000 } : {}),
  });
}

/** An error of the REST API, or of JSON-RPC, which MCP uses. `undefined`: it is neither. */
function errorBody(body: unknown): ErrorBody | undefined {
  if (!isObject(body)) return undefined;
  const { error, code } = body;
  // The two fields that matter are checked.
  if (typeof error === "string" && typeof code === "string") return body as unknown as ErrorBody;
  if (!isObject(error) || typeof error["message"] !== "string") return undefined;
  const data = isObject(error["data"]) ? error["data"] : {};
  const known = typeof data["code"] === "string" ? data["code"] : "INVALID_ARGUMENT";
  // As above.
  return { ...data, error: error["message"], code: known } as unknown as ErrorBody;
}

function requestIdOf({ headers }: Response): { readonly requestId?: string } {
  const requestId = headers.get("x-request-id");
  return requestId === null ? {} : { requestId };
}

/** The error for a response that is not Steward's. */
export function badResponse(response: Response): StewardError {
  const { status, url } = response;
  const message = `${new URL(url).origin} answered ${String(status)}, but not as Steward does`;
  return new StewardError("BAD_RESPONSE", message, { status, ...requestIdOf(response) });
}

/** `undefined` for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return parseOrdered(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
