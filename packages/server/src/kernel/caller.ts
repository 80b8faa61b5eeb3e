import { AppError } from "./errors.js";

/** The organization of a caller who names none in headers mode (Decision §2): the nil UUID. */
export const NIL_ORG_ID = "00000000-0000-0000-0000-000000000000";

/**
 * What sends a request: a person, an agent (which may act for a person), a program with an API key of
 * its own, or somebody who does not say.
 */
export type CallerKind = "person" | "agent" | "apiKey" | "anonymous";

/**
 * What an identity rests on. `headers`: the client's own word. `proxy`: identity headers that a trusted
 * proxy sets. `jwt`, `apikey`, `mtls`: a credential that this service has verified.
 */
export type AuthenticatedBy = "headers" | "proxy" | "jwt" | "apikey" | "mtls";

/**
 * Who is asking. Built once at the edge from the caller's credential or identity headers, never
 * from a request body (Decision §2).
 */
export interface Caller {
  /** UUID, lower case. */
  readonly orgId: string;
  readonly kind: CallerKind;
  readonly authenticatedBy: AuthenticatedBy;
  readonly sessionId?: string;
  /** The person who asks; of an agent, the person it acts for. */
  readonly userId?: string;
  /** Present exactly when `kind` is `agent`. */
  readonly agentId?: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  /** Id of the API key that was shown. */
  readonly keyId?: string;
  /** What the API key is limited to; absent: to nothing beyond its roles and permissions. */
  readonly scopes?: readonly string[];
  /** Name of the ORM model the call is about, for the usage reports. */
  readonly ormModel?: string;
}

/** What the record of a tool call keeps of the caller: as much as policies ask for later. */
export type RecordedCaller = Pick<
  Caller,
  "kind" | "authenticatedBy" | "userId" | "agentId" | "keyId" | "roles" | "permissions"
>;

/** What a record keeps of a caller. */
export function recordedCaller(caller: RecordedCaller): RecordedCaller {
  const { kind, authenticatedBy, userId, agentId, keyId, roles, permissions } = caller;
  return {
    ...{ kind, authenticatedBy, roles, permissions },
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(keyId === undefined ? {} : { keyId }),
  };
}

/** The parts of a caller that tell its kind. */
type Names = Pick<Caller, "userId" | "agentId" | "roles" | "permissions">;

/** The kind of a caller who shows no API key. Who names a role but no name is still a person. */
export function kindOf({ userId, agentId, roles, permissions }: Names): CallerKind {
  if (agentId !== undefined) return "agent";
  const saysNothing = userId === undefined && roles.length === 0 && permissions.length === 0;
  return saysNothing ? "anonymous" : "person";
}

/** Somebody who said nothing of themselves: a probe, or the service at work for an organization. */
export function anonymousCaller(orgId: string = NIL_ORG_ID): Caller {
  return { orgId, kind: "anonymous", authenticatedBy: "headers", roles: [], permissions: [] };
}

/** The person that an agent acts for; `undefined` for any other caller, and when nobody is named. */
export function actingFor({ kind, userId }: Caller): string | undefined {
  return kind === "agent" ? userId : undefined;
}

/** Whether somebody other than the client vouches for who it is (Decision §2). */
export function isVouchedFor({ authenticatedBy }: Pick<Caller, "authenticatedBy">): boolean {
  return authenticatedBy !== "headers";
}

/** The session that something names, or the caller's where it names none; empty where neither does. */
export function sessionOr({ sessionId }: Pick<Caller, "sessionId">, named: string): string {
  return named === "" ? (sessionId ?? "") : named;
}

/**
 * The session that a request is for: the one that its body names, else the caller's. A session that a
 * trusted proxy sets cannot be left by naming another one in a body.
 * @param named Empty: the body names none.
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
