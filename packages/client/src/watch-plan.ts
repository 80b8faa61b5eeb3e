import type { PlanEvent } from "@steward/protocol/rest";
import { backoffMs, pause } from "./backoff.js";
import { readEventStream } from "./event-stream.js";
import { badResponse, streamError, type Http } from "./http.js";
import { StewardError } from "./steward-error.js";

/** Number of lost connections without an event between them after which watching gives up. */
const DISCONNECTS_MAX = 10;

/**
 * Attempts of the first connection. The number is smaller because the server may not exist at all.
 */
const FIRST_TRIES_MAX = 3;

export interface WatchOptions {
  /** Only events after this sequence number; 0, the default: from the plan's beginning. */
  readonly afterSequence?: number;
  readonly signal?: AbortSignal;
}

/** Whether the plan is finished with this event, unless somebody retries the plan (Decision §6). */
export function isTerminalEvent({ event_type: type }: PlanEvent): boolean {
  return type === "PlanCompleted" || type === "PlanFailed" || type === "PlanCancelled";
}

/**
 * A plan's events, each once and in order: past events first, then new ones, until a terminal event
 * ends the stream. A lost connection is reopened after the last event received.
 * @throws StewardError when the server refuses the request, or does not respond for too long; the
 * signal's reason.
 */
export async function* watchPlan(
  http: Http,
  planId: string,
  options: WatchOptions = {},
): AsyncGenerator<PlanEvent, void> {
  const { signal } = options;
  let sequence = options.afterSequence ?? 0;
  let disconnects = 0;
  let over = false;
  let opened = false;
  for (;;) {
    let lost: StewardError | undefined;
    try {
      const body = await openEvents(http, planId, sequence, signal);
      // Status 204: the plan is finished and there are no more events (HTML Standard §9.2.3).
      if (body === null) return;
      opened = true;
      for await (const { event: type, data } of readEventStream(body)) {
        if (type === "error") throw streamError(data) ?? endedEarly(http);
        // The server validates events against its own schema.
        const event = JSON.parse(data) as PlanEvent;
        if (event.sequence <= sequence) continue;
        disconnects = 0;
        sequence = event.sequence;
        over = isTerminalEvent(event);
        yield event;
      }
    } catch (error) {
      lost = disconnectOf(error, http, signal);
    }
    disconnects += 1;
    if (over) return;
    if (disconnects > (opened ? DISCONNECTS_MAX : FIRST_TRIES_MAX)) throw lost ?? endedEarly(http);
    await pause(lost?.retryAfterMs ?? backoffMs(disconnects), signal);
  }
}

/** The events of one connection; `null` when there are no more. */
async function openEvents(
  http: Http,
  planId: string,
  afterSequence: number,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<Uint8Array> | null> {
  const response = await http.open({
    method: "GET",
    path: `/api/plans/${encodeURIComponent(planId)}/events`,
    headers: { accept: "text/event-stream", "last-event-id": String(afterSequence) },
    idempotent: true,
    signal,
  });
  if (response.status === 204) return null;
  const type = response.headers.get("content-type") ?? "";
  if (type.toLowerCase().startsWith("text/event-stream")) return response.body;
  await response.body?.cancel();
  throw badResponse(response);
}

/**
 * The error that broke the connection, when reopening may help.
 * @throws any other error.
 */
function disconnectOf(error: unknown, http: Http, signal: AbortSignal | undefined): StewardError {
  signal?.throwIfAborted();
  const lost = StewardError.from(error, http.server);
  if (!lost.isTransient) throw lost;
  return lost;
}

function endedEarly({ server }: Http): StewardError {
  return new StewardError("UNREACHABLE", `${server} ends the event stream before the plan is over`);
}
