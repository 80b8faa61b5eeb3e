import { AppError } from "./errors.js";
import type { LateAct } from "./lasting-permission.js";
import { hasRole } from "./role-name.js";

/** The organization of a caller who names none in headers mode (Decision §2): the nil UUID. */
export const NIL_ORG_ID = "00000000-0000-0000-0000-000000000000";

/**
 * The kind of a caller. An agent may act on behalf of a person; an API key stands for a program; an
 * anonymous caller sends no identity.
 */
export type CallerKind = "person" | "agent" | "apiKey" | "anonymous";

/**
 * How a caller's identity was established. `headers`: the client's own claim, unverified. `proxy`:
 * identity headers set by a trusted proxy. `jwt`, `apikey`, `mtls`: a credential that this service
 * has verified. `program`: named by the program that embeds the service.
 */
export type AuthenticatedBy = "headers" | "proxy" | "jwt" | "apikey" | "mtls" | "program";

/**
 * The identity behind a request. Built once at the edge from the credential or the identity
 * headers, never from a request body (Decision §2).
 */
export interface Caller {
  /** UUID, lower case. */
  readonly orgId: string;
  readonly kind: CallerKind;
  readonly authenticatedBy: AuthenticatedBy;
  readonly sessionId?: string;
  /** The person; for an agent, the person on whose behalf it acts. */
  readonly userId?: string;
  /** Present exactly when `kind` is `agent`. */
  readonly agentId?: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  /** Id of the API key that authenticated the request. */
  readonly keyId?: string;
  /**
   * Scopes that restrict the API key. Absent: the key has all rights of its roles and permissions.
   */
  readonly scopes?: readonly string[];
  /** Name of the ORM model the call is about, for the usage reports. */
  readonly ormModel?: string;
  /** The actions and policies that the approval lifts under which the present operation runs. */
  readonly approvedUnder?: ReadonlySet<string>;
  /** The request that the caller makes; absent: the service works for the caller by itself. */
  readonly request?: RequestOrigin;
  /**
   * Those who wrote the statement that the caller has executed, and had other rights: policies must
   * permit it to each of them too. Absent: the statement is the caller's own.
   */
  readonly writers?: readonly RecordedCaller[];
  /**
   * Asks again whether the request's credential is valid and its action permitted, for this caller, who may have
   * been given more since the request began. It rejects with the AppError of the refusal. Absent: the service works
   * for the caller by itself.
   */
  readonly askAgain?: (now: Caller, next: LateAct) => Promise<void>;
}

/** What the audit log stores of a request beside its caller. */
export interface RequestOrigin {
  readonly requestId: string;
  /** The trace of W3C `traceparent`, 32 hexadecimal digits. */
  readonly traceId?: string;
  /** IP address of the client; empty for a call in the embedding program's own process. */
  readonly peerAddress: string;
}

/**
 * The fields of a caller that the record of a tool call stores, because policies evaluate them
 * later.
 */
export interface RecordedCaller extends Pick<
  Caller,
  "kind" | "authenticatedBy" | "roles" | "permissions"
> {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly keyId?: string | undefined;
}

/** Reduces a caller to the fields that a record stores. It is one literal, because it is made for each step. */
export function recordedCaller(caller: RecordedCaller): RecordedCaller {
  const { kind, authenticatedBy, userId, agentId, keyId, roles, permissions } = caller;
  return { kind, authenticatedBy, userId, agentId, keyId, roles, permissions };
}

/** Whether two callers are the same to every policy of their organization. */
export function hasSameRights(one: RecordedCaller, other: RecordedCaller): boolean {
  return (
    one.kind === other.kind &&
    one.authenticatedBy === other.authenticatedBy &&
    one.userId === other.userId &&
    one.agentId === other.agentId &&
    one.keyId === other.keyId &&
    isSameList(one.roles, other.roles) &&
    isSameList(one.permissions, other.permissions)
  );
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

/** Identifies callers of an organization. An absent member must be absent in the caller too. */
export type PartyNames = Pick<RecordedCaller, "userId" | "agentId" | "keyId">;

/** What messages call a caller. */
export function partyName({ userId, agentId, keyId }: PartyNames): string {
  if (agentId !== undefined) return `agent ${agentId}`;
  if (userId !== undefined) return userId;
  return keyId === undefined ? "an unnamed caller" : `key ${keyId}`;
}

/**
 * The names by which a caller's own plans are found: an agent has those that it submitted for the same
 * person, a person also those that agents submitted for them, and an API key without a person its own.
 * Callers without a name share theirs.
 * @returns the members that must be equal; others may have any value.
 */
export function ownNames({ userId, agentId, keyId }: PartyNames): Partial<PartyNames> {
  if (agentId !== undefined) return { userId, agentId };
  return userId === undefined ? { userId, agentId, keyId } : { userId };
}

/** Whether what a party has submitted is the caller's own. */
export function isOwn(caller: PartyNames, submitter: PartyNames): boolean {
  const own = ownNames(caller);
  return (["userId", "agentId", "keyId"] as const).every(
    (name) => !(name in own) || own[name] === submitter[name],
  );
}

/** The fields from which a caller's kind is derived. */
type Names = Pick<Caller, "userId" | "agentId" | "roles" | "permissions">;

/**
 * The kind of a caller without an API key. A caller with a role but without a user id counts as a
 * person.
 */
export function kindOf({ userId, agentId, roles, permissions }: Names): CallerKind {
  if (agentId !== undefined) return "agent";
  const saysNothing = userId === undefined && roles.length === 0 && permissions.length === 0;
  return saysNothing ? "anonymous" : "person";
}

/**
 * Whether the caller shows an agent's credential: one that names an agent (an agent's API key, the
 * token's or the certificate's claim, `x-agent-id`), or one with the role `agent`. Such a caller
 * governs nothing, whatever other roles it has (Decision §18).
 */
export function isAgentsCredential(caller: Pick<Caller, "kind" | "agentId" | "roles">): boolean {
  return caller.kind === "agent" || caller.agentId !== undefined || hasRole(caller, AGENT_ROLE);
}

const AGENT_ROLE = "agent";

/** The form of a user's id in which one person is compared with another. */
export function personOf(userId: string): string {
  return userId.normalize("NFKC").trim().toLowerCase();
}

/**
 * A caller without an identity: a health probe, or the service itself working for an organization.
 */
export function anonymousCaller(orgId: string = NIL_ORG_ID): Caller {
  return { orgId, kind: "anonymous", authenticatedBy: "headers", roles: [], permissions: [] };
}

/**
 * Whether the identity was verified by this service, or is vouched for by a trusted proxy or the embedding
 * program, rather than claimed by the client (Decision §2).
 */
export function isVouchedFor({ authenticatedBy }: Pick<Caller, "authenticatedBy">): boolean {
  return authenticatedBy !== "headers";
}

/** The session named in a message, else the caller's session, else the empty string. */
export function sessionOr({ sessionId }: Pick<Caller, "sessionId">, named: string): string {
  return named === "" ? (sessionId ?? "") : named;
}

/**
 * The session of a request: the one named in the body, else the caller's. When a trusted proxy sets
 * the session, a body may not name a different one.
 * @param named Empty when the body names none.
 * @throws AppError `POLICY_DENIED`.
 */
export function sessionFor(caller: Caller, named: string): string {
  const { sessionId, authenticatedBy } = caller;
  if (named === "") return sessionOr(caller, named);
  if (authenticatedBy !== "proxy" || sessionId === undefined || sessionId === named) return named;
  throw new AppError(
    "POLICY_DENIED",
    "session_id: the request's x-session-id names another session; leave session_id out or name the same",
    { details: [{ field: "session_id", reason: "is not the session of x-session-id" }] },
  );
}
