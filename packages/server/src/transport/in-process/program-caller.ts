import { callerHeaders, type ClientOptions } from "@steward/client";
import type { Caller } from "@steward/kernel/caller.js";
import { callerOfHeaders } from "../authentication/headers-authenticator.js";

/**
 * The identity for which a program makes its calls, as in the options of a client. The program vouches for it,
 * as a trusted proxy does for the headers that it sets.
 */
export type ProgramIdentity = Pick<
  ClientOptions,
  "orgId" | "sessionId" | "userId" | "agentId" | "role" | "ormModel"
>;

/**
 * The caller of a program's calls, under the rules of the identity headers.
 * @param organization of callers who name none.
 * @throws AppError `INVALID_ARGUMENT`, with the header as its field; `UNAUTHENTICATED` without an organization.
 */
export function programCaller(identity: ProgramIdentity, organization: string | undefined): Caller {
  const headers = callerHeaders({ baseUrl: "", ...identity });
  const named = organization === undefined ? {} : { "x-org-id": organization };
  return callerOfHeaders({ ...named, ...headers }, "program");
}
