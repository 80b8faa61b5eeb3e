import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { ReadRecord } from "./record-entry.js";

type Members = Readonly<Record<string, JsonValue>>;

/** OCSF's `type_id` of users. */
const USER_TYPES = { unknown: 0, user: 1, service: 4 } as const;

/** The characters of IPv4 and IPv6 addresses. */
const ADDRESS = /^[\da-f.:]{2,40}$/i;

/** Who acted: the person, the program of an API key, and the agent between them. */
export function actorOf(read: ReadRecord): Members {
  const { entry, agent } = read;
  if (entry.by === undefined) return { app_name: "Steward" };
  return {
    user: userOf(read),
    ...(agent === undefined ? {} : { app_name: agent, app_uid: agent }),
  };
}

/** The user of an event; of a caller without an identity, what kind of caller it was. */
export function userOf({ entry: { by, org }, user, agent }: ReadRecord): Members {
  const credential = by?.key === undefined ? {} : { credential_uid: by.key };
  const common = { ...credential, org: { uid: org } };
  if (user !== undefined) return { uid: user, type_id: USER_TYPES.user, type: "User", ...common };
  const program = by?.key ?? agent;
  if (program !== undefined) {
    return { uid: program, type_id: USER_TYPES.service, type: "Service", ...common };
  }
  return { name: by?.kind ?? "unknown", type_id: USER_TYPES.unknown, type: "Unknown", ...common };
}

/** Where a request came from. */
export function endpointOf({ entry: { request }, peer }: ReadRecord): Members {
  if (request === undefined) return { svc_name: "Steward" };
  if (peer === undefined) return { name: "erased" };
  return ADDRESS.test(peer) ? { ip: peer } : { name: peer === "" ? "unknown" : peer };
}
