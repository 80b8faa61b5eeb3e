import { OperationApprovalRequired } from "../governance/index.js";
import type { Action } from "../identity/index.js";
import type { Caller, RequestOrigin } from "@steward/kernel/caller.js";
import { resumption } from "@steward/kernel/concurrency/shared-result.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { LateAct } from "@steward/kernel/lasting-permission.js";
import { present } from "../kernel/present.js";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "./limits.js";
import type { QueryRuntimeContext } from "../plans/index.js";
import type { RequestContext } from "./approvals/approved-operation.js";
import type { ClientAddress } from "./authentication/client-address.js";
import { headerText } from "./header-text.js";
import type { Share } from "./organization-quotas.js";
import type { IdentityHeaders, Services, ShownIdentity } from "./services.js";

/** A request as a transport knows it before reading its content. */
export interface IncomingRequest extends ShownIdentity {
  readonly requestId: string;
  /** The action of the request; absent where requests are open to everybody. */
  readonly action?: Action | undefined;
  /** The quota that it counts against until it ends; absent: none. */
  readonly share?: Share | undefined;
  /**
   * Registers a listener for the end of the request, with or without an answer. It is called at
   * once when the request has already ended.
   */
  readonly whenOver: (listener: () => void) => void;
  /**
   * Whether the request runs with {@link underApproval}, so that an approval that its action needs is asked
   * for when its content is known.
   */
  readonly isApprovable?: boolean;
  /** When the caller stops waiting, in ms since the epoch. */
  readonly deadlineMs?: number | undefined;
  /** Aborted when the caller has disconnected or its deadline has passed. */
  readonly signal: AbortSignal;
}

/** Authentication, authorization and quotas. */
export type Gatekeepers = Pick<
  Services,
  "authenticate" | "authorize" | "useApproval" | "quotas" | "clientAddress"
>;

/**
 * The caller of a request and its time limit. The right to the action on the caller's organization
 * is checked here, before the request is decoded.
 * @throws AppError like {@link Authenticate}, {@link Authorize} and {@link OrganizationQuotas}.
 */
export async function requestContext(
  { authenticate, authorize, useApproval, quotas, clientAddress }: Gatekeepers,
  request: IncomingRequest,
): Promise<RequestContext> {
  const { headers, requestId, action, deadlineMs, signal, isApprovable = false } = request;
  const caller = await authenticate(request);
  // Only now it is known whose request it is: one organization may have many connections.
  const turn = resumption(caller.orgId);
  if (turn !== undefined) await turn;
  if (action !== undefined) quotas.countRequest(caller.orgId);
  const demand = action === undefined ? undefined : demanded(authorize, caller, action);
  const needed = demand instanceof Promise ? await demand : demand;
  if (needed !== undefined && !isApprovable) await useApproval(caller, undefined, [needed]);
  const counts = takenShare(quotas, caller, request);
  const idempotencyKey = headerText(headers, "idempotency-key", IDEMPOTENCY_KEY_LENGTH_MAX);
  const origin = requestOrigin(request, clientAddress);
  // A spread that comes first is copied member by member: each new member after it then takes microseconds.
  const context: Made<RequestContext> = { requestId, ...caller, request: origin, signal };
  if (needed !== undefined) context.needed = needed;
  if (counts !== undefined) context.counts = counts;
  if (deadlineMs !== undefined) context.deadlineMs = deadlineMs;
  if (idempotencyKey !== undefined) context.idempotencyKey = idempotencyKey;
  context.askAgain = (now, next) => askAgain({ authenticate, authorize }, request, now, next);
  return context;
}

/** @throws AppError when the credential is not valid any more, or the action not permitted. */
async function askAgain(
  { authenticate, authorize }: Pick<Gatekeepers, "authenticate" | "authorize">,
  request: IncomingRequest,
  { authenticatedBy, approvedUnder, ...before }: Caller,
  next: LateAct,
): Promise<void> {
  const isKept = next === "change" && authenticatedBy === "jwt";
  const caller = isKept ? { authenticatedBy, ...before } : await authenticate(request);
  if (request.action === undefined) return;
  await authorize({ ...caller, ...present({ approvedUnder }) }, request.action);
}

/** An object while it is made. Members that are set one by one cost less than spreads, and each request has them. */
type Made<T> = { -readonly [Key in keyof T]: T[Key] };

/** The request as the audit log stores it. */
function requestOrigin(request: IncomingRequest, clientAddress: ClientAddress): RequestOrigin {
  const { traceparent } = request.headers;
  const traceId = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  const { requestId } = request;
  const peerAddress = clientAddress(request);
  return traceId === undefined ? { requestId, peerAddress } : { requestId, peerAddress, traceId };
}

/** W3C Trace Context §3.2. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** The quota of an operation. */
export type QuotaUse = Pick<IncomingRequest, "share" | "whenOver">;

/**
 * Takes the share of the caller's organization that an operation has while it lasts.
 * @returns what makes the share last until some work has settled; `undefined` when the operation takes none.
 * @throws AppError as {@link OrganizationQuotas} does.
 */
export function takenShare(
  quotas: Gatekeepers["quotas"],
  caller: Caller,
  { share, whenOver }: QuotaUse,
): QueryRuntimeContext["counts"] {
  if (share === undefined) return undefined;
  return sharedUntilDone(quotas.take(caller.orgId, share), { whenOver });
}

/**
 * Lets a caller pass who may do this.
 * @returns the approval that the action needs; the caller of this function has to ask for it. It fails as
 * {@link Authorize} does.
 */
export function demanded(
  authorize: Gatekeepers["authorize"],
  caller: Caller,
  action: Action,
): undefined | Promise<OperationApprovalRequired | undefined> {
  return authorize(caller, action)?.catch((error: unknown) => {
    if (!(error instanceof OperationApprovalRequired)) throw error;
    return error;
  });
}

/**
 * Frees the place in the quota when the request has ended and its work has settled: a step
 * continues to run, and to count, after its caller has left.
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
 * The caller's `x-request-id` if it is safe in a log line, else a new one; an invalid id is not a
 * reason to refuse the request.
 */
export function requestIdOf(headers: IdentityHeaders, ids: Ids): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && PRINTABLE_WORD.test(given) ? given : ids.uuid();
}

/** Visible ASCII, at most 128 characters. */
const PRINTABLE_WORD = /^[\x21-\x7e]{1,128}$/;
