/** The organization of a caller who names none in headers mode (Decision §2): the nil UUID. */
export const NIL_ORG_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Who is asking. Built once at the edge from the caller's credential or identity headers, never
 * from a request body (Decision §2).
 */
export interface Caller {
  /** UUID, lower case. */
  readonly orgId: string;
  readonly sessionId?: string;
  readonly userId?: string;
  readonly agentId?: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  /** Name of the ORM model the call is about, for the usage reports. */
  readonly ormModel?: string;
}
