import type { Data, ErrorBody } from "@steward/protocol/rest";
import { backoffMs, pause } from "./backoff.js";
import { StewardError } from "./steward-error.js";
import { TimeLimit } from "./time-limit.js";

/** How often an idempotent call is tried again, unless told otherwise. */
const RETRIES_MAX = 3;
/**
 * A try that lasted longer than this in ms before it broke off had reached the server: it says nothing
 * about the next one, which joins the same work. Runtimes give up on an answer after minutes.
 */
const TRY_LONG_MS = 60_000;
/** The longest Retry-After that is waited out, in ms; a longer one is left to the caller. */
const RETRY_AFTER_MS_MAX = 30_000;

/** A body that is sent as it comes, without being held in memory as a whole. */
export type StreamedBody = ReadableStream<Uint8Array> | Blob | string;

/** One call to the server. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the base URL, from its slash; parts already escaped. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of a body; its content type is among the headers. */
  readonly stream?: StreamedBody;
  /** Repeating it is harmless, so it is tried again when that may help. */
  readonly idempotent: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** How calls reach the server. */
export interface Http {
  /** The server, for messages: its URL's origin. */
  readonly server: string;
  /** @returns the `data` of the answer. @throws StewardError; the signal's reason when aborted. */
  call<Payload>(request: HttpRequest): Promise<Payload>;
  /** An answer whose body is read as it comes; one try. @throws as `call`. */
  open(request: HttpRequest): Promise<Response>;
}

/** What {@link createHttp} needs to know. */
export interface HttpOptions {
  readonly baseUrl: string;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Milliseconds that one try may take; left out: as long as it takes. */
  readonly timeout?: number | undefined;
  /** How often an idempotent call is tried again. */
  readonly maxRetries?: number | undefined;
}

/** Calls over `fetch`. */
export function createHttp(options: HttpOptions): Http {
  const server = new URL(options.baseUrl).origin;
  const attempt = async <T>(
    request: HttpRequest,
    read: (response: Response) => T | Promise<T>,
  ): Promise<T> => {
    const limit = new TimeLimit(options.timeout, request.signal);
    try {
      return await read(await send(options, { ...request, signal: limit.signal }));
    } catch (error) {
      request.signal?.throwIfAborted();
      throw limit.hasPassed
        ? StewardError.late(server, limit.ms)
        : StewardError.from(error, server);
    } finally {
      limit.clear();
    }
  };
  return {
    server,
    open: async (request) => attempt(request, (response) => response),
    call: async <Payload>(request: HttpRequest) =>
      retrying(request, options.maxRetries, async () => attempt(request, readData<Payload>)),
  };
}

async function retrying<T>(
  request: HttpRequest,
  maxRetries = RETRIES_MAX,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const startedMs = Date.now();
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof StewardError)) throw failure;
      if (Date.now() - startedMs > TRY_LONG_MS) tries = 1;
      const wait = failure.retryAfterMs ?? backoffMs(tries);
      const hopeless = !request.idempotent || !failure.isTransient || wait > RETRY_AFTER_MS_MAX;
      if (hopeless || tries > maxRetries) throw failure;
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
    // What is still being made can be sent only when no answer is waited for before its end.
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
  const body = parse(await response.text());
  if (!isObject(body) || !("data" in body)) throw badResponse(response);
  // The server's own schemas vouch for the payload.
  return (body as unknown as Data<Payload>).data;
}

async function readError(response: Response): Promise<StewardError> {
  const body = parse(await response.text());
  if (!isObject(body) || typeof body["error"] !== "string" || typeof body["code"] !== "string") {
    return badResponse(response);
  }
  // The two fields that matter are checked above.
  const { error, code, details } = body as unknown as ErrorBody;
  const seconds = response.headers.get("retry-after") ?? "";
  return new StewardError(code, error, {
    status: response.status,
    ...requestIdOf(response),
    ...(details === undefined ? {} : { details }),
    ...(/^\d{1,9}$/.test(seconds) ? { retryAfterMs: Number(seconds) * 1000 } : {}),
  });
}

function requestIdOf({ headers }: Response): { readonly requestId?: string } {
  const requestId = headers.get("x-request-id");
  return requestId === null ? {} : { requestId };
}

/** An answer that is none of Steward's. */
export function badResponse(response: Response): StewardError {
  const { status, url } = response;
  const message = `${new URL(url).origin} answered ${String(status)}, but not as Steward does`;
  return new StewardError("BAD_RESPONSE", message, { status, ...requestIdOf(response) });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
