import { hash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";
import { isoTime } from "@steward/kernel/clock.js";
import type { Origin } from "../kernel/origin.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { AUDIT_RECORD_BYTES_MAX } from "./limits.js";

/** The version of the shape of records that this program writes. */
const RECORD_VERSION = 1;

/** A record as it enters the tree, and the personal values that are stored beside it. */
export interface NewAuditRecord {
  readonly orgId: string;
  readonly atMs: number;
  readonly kind: string;
  readonly subject: string;
  /** Canonical JSON; its bytes are the leaf. */
  readonly entry: string;
  /** Absent when the record has no personal value. */
  readonly personal: PersonalValues | undefined;
}

/** The personal values of a record. When they are erased, the record still verifies. */
export interface PersonalValues {
  /** Makes it impossible to find a value from its digest by trying likely values. */
  readonly salt: string;
  /** The values by their place in the record. */
  readonly values: Readonly<Record<string, string>>;
}

/** The record of a fact. @param salt 16 random bytes, base64url. */
export function auditRecordOf(fact: AuditFact, salt: string): NewAuditRecord {
  const { orgId, atMs, kind, subject, origin } = fact;
  const values: Record<string, string> = {};
  const digest = (place: string, value: string): string => {
    values[place] = value;
    return personalDigest(salt, place, value);
  };
  const detail = withDigests(fact, digest);
  const record = (told: JsonValue): string =>
    canonicalJson({
      at: isoTime(atMs),
      ...(origin === undefined ? {} : originMembers(origin, digest)),
      detail: told,
      kind,
      org: orgId,
      subject,
      v: RECORD_VERSION,
    });
  const whole = record(detail);
  // A leaf has a limit. The digest still proves the detail, which is kept with the personal values.
  const entry =
    Buffer.byteLength(whole) <= AUDIT_RECORD_BYTES_MAX
      ? whole
      : record({ digest: digest("detail", canonicalJson(detail)) });
  const personal = Object.keys(values).length === 0 ? undefined : { salt, values };
  return { orgId, atMs, kind, subject, entry, personal };
}

/** The digest that a record contains in place of a personal value. */
export function personalDigest(salt: string, place: string, value: string): string {
  return `sha256:${hash("sha256", `${salt}\0${place}\0${value}`, "base64url")}`;
}

type Digest = (place: string, value: string) => string;

/** The form of the ids that this program makes. Text of this form names nobody. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The form of names of rights. A caller without a credential may claim a role of any text. */
const RIGHT = /^[a-z][a-z\d_:.*-]{0,63}$/i;

/** The caller, with the members in a fixed order. */
function originMembers({ caller, request }: Origin, digest: Digest): Record<string, JsonValue> {
  const { kind, authenticatedBy, userId, agentId, keyId, roles, permissions } = caller;
  const rights = (name: string, values: readonly string[]): string[] =>
    values.map((value, index) =>
      RIGHT.test(value) ? value : digest(`by.${name}.${String(index)}`, value),
    );
  return {
    by: {
      kind,
      authenticated_by: authenticatedBy,
      roles: rights("roles", roles),
      permissions: rights("permissions", permissions),
      ...(agentId === undefined ? {} : { agent: digest("by.agent", agentId) }),
      ...(keyId === undefined ? {} : { key: keyId }),
      ...(userId === undefined ? {} : { user: digest("by.user", userId) }),
    },
    ...(request === undefined
      ? {}
      : {
          request: {
            id: UUID.test(request.requestId)
              ? request.requestId
              : digest("request.id", request.requestId),
            peer: digest("request.peer", request.peerAddress),
            ...(request.traceId === undefined ? {} : { trace: request.traceId }),
          },
        }),
  };
}

/** The detail with a digest in the place of each personal value. */
function withDigests({ detail, personal }: AuditFact, digest: Digest): JsonValue {
  let told: JsonValue = detail;
  for (const [place, value] of Object.entries(personal ?? {})) {
    told = withValue(told, place.split("."), digest(place, value));
  }
  return told;
}

/** A copy of a JSON value with another value at a path; lists and objects beside the path are shared. */
function withValue(
  target: JsonValue,
  [member, ...rest]: readonly string[],
  value: string,
): JsonValue {
  if (member === undefined) return value;
  if (Array.isArray(target)) {
    return target.map((item: JsonValue, index) =>
      String(index) === member ? withValue(item, rest, value) : item,
    );
  }
  const known = target as Readonly<Record<string, JsonValue>>;
  return { ...known, [member]: withValue(known[member] ?? {}, rest, value) };
}
