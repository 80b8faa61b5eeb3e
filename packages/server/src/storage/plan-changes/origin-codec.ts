import type { EventsOrigin } from "../../plans/engine/index.js";
import { callerOf, keptCaller, type KeptCaller } from "./recorded-caller.js";

/**
 * The stored form of the origin of some consecutive events; their count alone when the service
 * itself made them.
 */
type OriginTuple =
  | readonly [count: number]
  | readonly [count: number, caller: KeptCaller]
  | readonly [
      count: number,
      caller: KeptCaller,
      requestId: string,
      peerAddress: string,
      traceId?: string,
    ];

/** The column `plan_changes.origins`; NULL when the service itself made all events. */
export function originsJson(origins: readonly EventsOrigin[]): string | null {
  if (origins.every(({ origin }) => origin === undefined)) return null;
  return JSON.stringify(merged(origins).map(tupleOf));
}

/** The origins of a change's events. */
export function originsOf(json: string | null, eventCount: number): readonly EventsOrigin[] {
  if (json === null) return [{ count: eventCount, origin: undefined }];
  return (JSON.parse(json) as readonly OriginTuple[]).map((tuple) => {
    const [count, caller, requestId, peerAddress, traceId] = tuple;
    const known = caller === undefined ? undefined : callerOf(caller);
    if (known === undefined) return { count, origin: undefined };
    if (requestId === undefined || peerAddress === undefined) {
      return { count, origin: { caller: known, request: undefined } };
    }
    const trace = traceId === undefined ? {} : { traceId };
    return { count, origin: { caller: known, request: { requestId, peerAddress, ...trace } } };
  });
}

/** Joins consecutive events of one request, such as the start and the end of a read. */
function merged(origins: readonly EventsOrigin[]): readonly EventsOrigin[] {
  const joined: EventsOrigin[] = [];
  for (const next of origins) {
    const last = joined.at(-1);
    const [request, other] = [last?.origin?.request, next.origin?.request];
    if (last !== undefined && request !== undefined && request === other) {
      joined[joined.length - 1] = { ...last, count: last.count + next.count };
    } else joined.push(next);
  }
  return joined;
}

function tupleOf({ count, origin }: EventsOrigin): OriginTuple {
  if (origin === undefined) return [count];
  const caller = keptCaller(origin);
  if (origin.request === undefined) return [count, caller];
  const { requestId, peerAddress, traceId } = origin.request;
  return traceId === undefined
    ? [count, caller, requestId, peerAddress]
    : [count, caller, requestId, peerAddress, traceId];
}
