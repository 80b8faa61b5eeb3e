import type { JWTPayload } from "jose";
import { kindOf } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import { ROLE_RULE, roleName } from "@steward/kernel/role-name.js";
import type { Principal } from "../../identity/index.js";

/**
 * The names of the claims that identify a caller. A name with dots addresses nested claims, such as
 * `act.sub` (RFC 8693 §4.1), unless a claim has that very name.
 */
export interface ClaimNames {
  /** A UUID. */
  readonly org: string;
  /** The person; in an agent's token, the person on whose behalf it acts. */
  readonly user: string;
  readonly agent: string;
  /** A list of texts, or one text with names separated by blanks (like `scope`, RFC 6749 §3.3). */
  readonly roles: string;
  readonly permissions: string;
}

/** Characters in the id of a person or an agent. */
const ID_LENGTH_MAX = 255;

/**
 * The identity in a verified token.
 * @throws AppError `UNAUTHENTICATED` when the token names no organization, or a claim has the wrong
 * type.
 */
export function principalOf(payload: JWTPayload, claims: ClaimNames): Principal {
  const orgId = textAt(payload, claims.org);
  if (orgId === undefined || !isUuid(orgId)) {
    throw wrongClaim(claims.org, "must name the organization by its UUID");
  }
  const userId = textAt(payload, claims.user);
  const agentId = textAt(payload, claims.agent);
  const who = {
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    roles: rolesAt(payload, claims.roles),
    permissions: namesAt(payload, claims.permissions),
  };
  return { orgId: orgId.toLowerCase(), kind: kindOf(who), authenticatedBy: "jwt", ...who };
}

function textAt(payload: JWTPayload, name: string): string | undefined {
  const value = valueAt(payload, name);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && value.length <= ID_LENGTH_MAX) return value;
  throw wrongClaim(name, `must be a text of at most ${String(ID_LENGTH_MAX)} characters`);
}

function rolesAt(payload: JWTPayload, name: string): readonly string[] {
  const roles = namesAt(payload, name);
  if (roles.some((role) => roleName(role) === undefined)) {
    throw wrongClaim(name, `holds a value that is not a role: each ${ROLE_RULE}`);
  }
  return roles;
}

function namesAt(payload: JWTPayload, name: string): readonly string[] {
  const value = valueAt(payload, name);
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return value.split(/\s+/).filter((each) => each !== "");
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw wrongClaim(name, "must be a list of texts");
}

function valueAt(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) {
      return undefined;
    }
    // Only the object's own properties are read.
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}

function wrongClaim(name: string, reason: string): AppError {
  return new AppError("UNAUTHENTICATED", `The token is refused: its claim ${name} ${reason}`);
}
