import type { PlanEvent } from "@steward/protocol/rest";
import { backoffMs, pause } from "./backoff.js";
import { readEventStream } from "./event-stream.js";
import { badResponse, type Http } from "./http.js";
import { StewardError } from "./steward-error.js";

/** Disconnects in a row, without an event between them, after which watching gives up. */
const DISCONNECTS_MAX = 10;

/** The same before the first connection: nothing says yet that there is such a server. */
const FIRST_TRIES_MAX = 3;

/** Where a watch starts and what ends it. */
export interface WatchOptions {
  /** Only events after this one; 0, the default: from the plan's beginning. */
  readonly afterSequence?: number;
  readonly signal?: AbortSignal;
}

/** Whether the plan is over with this event, for as long as nobody retries it (Decision §6). */
export function isTerminalEvent({ event_type: type }: PlanEvent): boolean {
  return type === "PlanCompleted" || type === "PlanFailed" || type === "PlanCancelled";
}

/**
 * The events of a plan, each once and in order: first those that were, then those to come, until
 * the stream ends after a terminal one. A lost connection is opened again where it broke off.
 * @throws StewardError when the server refuses, or stays away too long; the signal's reason.
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
      // The plan is over and this was its last event (HTML Standard §9.2.3: do not come back).
      if (body === null) return;
      opened = true;
      for await (const { data } of readEventStream(body)) {
        // The server's own schema vouches for the event.
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

/** One connection's worth of events; `null` when there are no more. */
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

/** What broke the connection, when opening it again may help. @throws whatever else went wrong. */
function disconnectOf(error: unknown, http: Http, signal: AbortSignal | undefined): StewardError {
  signal?.throwIfAborted();
  const lost = StewardError.from(error, http.server);
  if (!lost.isTransient) throw lost;
  return lost;
}

function endedEarly({ server }: Http): StewardError {
  return new StewardError("UNREACHABLE", `${server} ends the event stream before the plan is over`);
}
