import type { Action } from "../identity/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Ids } from "@steward/kernel/ids.js";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "@steward/kernel/limits.js";
import type { QueryRuntimeContext } from "../plans/index.js";
import { headerText } from "./header-text.js";
import type { Share } from "./organization-quotas.js";
import type { IdentityHeaders, Services, ShownIdentity } from "./services.js";

/** What a transport knows of a request before it has looked inside. */
export interface IncomingRequest extends ShownIdentity {
  readonly requestId: string;
  /** What the request asks for; absent where anybody may ask. */
  readonly action?: Action | undefined;
  /** What it has of its organization's share until it is over; absent: nothing. */
  readonly share?: Share | undefined;
  /** Calls this once the request is over, answered or not; at once when it is over already. */
  readonly whenOver: (listener: () => void) => void;
  /** Milliseconds since the epoch after which the caller no longer waits. */
  readonly deadlineMs?: number;
  /** Aborted when the caller is gone or its deadline has passed. */
  readonly signal: AbortSignal;
}

/** How callers are known, what they may do, and how much of it. */
export type Gatekeepers = Pick<Services, "authenticate" | "authorize" | "quotas">;

/**
 * Who asks, and for how long. It is decided here, before the request is decoded, whether they may ask for this of
 * their organization at all.
 * @throws AppError as {@link Authenticate}, {@link Authorize} and {@link OrganizationQuotas} do.
 */
export async function requestContext(
  { authenticate, authorize, quotas }: Gatekeepers,
  request: IncomingRequest,
): Promise<QueryRuntimeContext> {
  const { headers, requestId, action, deadlineMs, signal } = request;
  const caller = await authenticate(request);
  if (action !== undefined) quotas.countRequest(caller.orgId);
  const counts = await admit({ authorize, quotas }, caller, request);
  const idempotencyKey = headerText(headers, "idempotency-key", IDEMPOTENCY_KEY_LENGTH_MAX);
  return {
    ...caller,
    requestId,
    signal,
    ...(counts === undefined ? {} : { counts }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

/** What an operation asks for. */
export type AskedOperation = Pick<IncomingRequest, "action" | "share" | "whenOver">;

/**
 * Lets a caller pass who may do this, and takes the share of their organization that it has while it lasts.
 * @returns what makes the share last until some work has settled; `undefined` when the operation takes none.
 * @throws AppError as {@link Authorize} and {@link OrganizationQuotas} do.
 */
export async function admit(
  { authorize, quotas }: Pick<Gatekeepers, "authorize" | "quotas">,
  caller: Caller,
  { action, share, whenOver }: AskedOperation,
): Promise<QueryRuntimeContext["counts"]> {
  if (action !== undefined) await authorize(caller, action);
  if (share === undefined) return undefined;
  return sharedUntilDone(quotas.take(caller.orgId, share), { whenOver });
}

/**
 * Gives a share back when the request is over and the work that counts for it has settled: a caller who leaves while their
 * step runs has the step all the same.
 */
function sharedUntilDone(
  giveBack: () => void,
  { whenOver }: Pick<IncomingRequest, "whenOver">,
): (work: Promise<unknown>) => void {
  let holders = 1;
  const leave = (): void => {
    holders -= 1;
    if (holders === 0) giveBack();
  };
  whenOver(leave);
  return (work) => {
    holders += 1;
    work.then(leave, leave);
  };
}

/**
 * The caller's `x-request-id` where it can stand in a log line, else a new one: a bad one is no
 * reason to refuse the request.
 */
export function requestIdOf(headers: IdentityHeaders, ids: Ids): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && PRINTABLE_WORD.test(given) ? given : ids.uuid();
}

/** Visible ASCII, at most 128 characters. */
const PRINTABLE_WORD = /^[\x21-\x7e]{1,128}$/;
