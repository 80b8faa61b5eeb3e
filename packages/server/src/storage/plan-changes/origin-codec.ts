import type { EventsOrigin } from "../../plans/engine/index.js";
import type { PartyNames } from "@steward/kernel/caller.js";
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
      requestId: string | null,
      peerAddress: string | null,
      traceId?: string | null,
      policyVersion?: string,
    ];

/** The column `plan_changes.origins`; NULL when the service itself made all events. */
export function originsJson(origins: readonly EventsOrigin[]): string | null {
  if (origins.every(({ origin }) => origin === undefined)) return null;
  return JSON.stringify(merged(origins).map(tupleOf));
}

/** Who submitted a plan. @param json the column `origins` of its first change. */
export function submitterOf(json: string | null): PartyNames {
  const [first] = originsOf(json, 0);
  const { userId, agentId, keyId } = first?.origin?.caller ?? {};
  return { userId, agentId, keyId };
}

/** The place of each name in the caller of a stored origin. */
export const SUBMITTER_PLACES: Readonly<Record<keyof PartyNames, number>> = {
  userId: 4,
  agentId: 5,
  keyId: 6,
};

/** The origins of a change's events. */
export function originsOf(json: string | null, eventCount: number): readonly EventsOrigin[] {
  if (json === null) return [{ count: eventCount, origin: undefined }];
  return (JSON.parse(json) as readonly OriginTuple[]).map((tuple) => {
    const [count, caller, requestId, peerAddress, traceId, policyVersion] = tuple;
    const known = caller === undefined ? undefined : callerOf(caller);
    if (known === undefined) return { count, origin: undefined };
    const origin = { caller: known, policyVersion };
    if (typeof requestId !== "string" || typeof peerAddress !== "string") {
      return { count, origin: { ...origin, request: undefined } };
    }
    const trace = typeof traceId === "string" ? { traceId } : {};
    return { count, origin: { ...origin, request: { requestId, peerAddress, ...trace } } };
  });
}

/**
 * Joins consecutive events of one request, such as the start and the end of a read, unless other
 * policies have permitted the end.
 */
function merged(origins: readonly EventsOrigin[]): readonly EventsOrigin[] {
  const joined: EventsOrigin[] = [];
  for (const next of origins) {
    const last = joined.at(-1);
    const [origin, other] = [last?.origin, next.origin];
    const isSameRequest = origin?.request !== undefined && origin.request === other?.request;
    if (last !== undefined && isSameRequest && origin.policyVersion === other.policyVersion) {
      joined[joined.length - 1] = { ...last, count: last.count + next.count };
    } else joined.push(next);
  }
  return joined;
}

function tupleOf({ count, origin }: EventsOrigin): OriginTuple {
  if (origin === undefined) return [count];
  const { request, policyVersion } = origin;
  const caller = keptCaller(origin);
  const asked = [request?.requestId ?? null, request?.peerAddress ?? null] as const;
  if (policyVersion !== undefined) {
    return [count, caller, ...asked, request?.traceId ?? null, policyVersion];
  }
  if (request === undefined) return [count, caller];
  return request.traceId === undefined
    ? [count, caller, ...asked]
    : [count, caller, ...asked, request.traceId];
}
