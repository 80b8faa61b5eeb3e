import { hash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";
import { isoTime } from "@steward/kernel/clock.js";
import type { Origin } from "../kernel/origin.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { AUDIT_RECORD_BYTES_MAX } from "./limits.js";

/** The version of the shape of records that this program writes. */
const RECORD_VERSION = 2;

/** A record as it enters the tree, and the personal values that are stored beside it. */
export interface NewAuditRecord {
  readonly orgId: string;
  readonly atMs: number;
  readonly kind: string;
  readonly subject: string;
  /** Canonical JSON; its bytes are the leaf. */
  readonly entry: string;
  /** Absent when the record has no personal value. */
  readonly personal: NewPersonalValues | undefined;
}

/** The personal values of a new record. */
export interface NewPersonalValues {
  readonly salt: string;
  /** Canonical JSON of the values by their place, which the record has the digest of. */
  readonly json: string;
}

/** The personal values of a record. When they are erased, the record still verifies. */
export interface PersonalValues {
  /** Makes it impossible to find the values from their digest by trying likely ones. */
  readonly salt: string;
  /** The values by their place in the record. */
  readonly values: Readonly<Record<string, string>>;
}

/** The record of a fact. @param salt 16 random bytes, base64url. */
export function auditRecordOf(fact: AuditFact, salt: string): NewAuditRecord {
  const { orgId, atMs, kind, subject, origin, detail } = fact;
  const values: Record<string, string> = { ...fact.personal };
  const common = {
    at: isoTime(atMs),
    ...(origin === undefined ? {} : originMembers(origin, values)),
    ...{ kind, org: orgId, subject, v: RECORD_VERSION },
  };
  const record = (told: JsonValue): Pick<NewAuditRecord, "entry" | "personal"> => {
    const json = canonicalJson(values);
    const personal = json === "{}" ? undefined : { salt, json };
    const digest = personal && { personal: personalDigest(salt, json) };
    return { entry: canonicalJson({ ...common, ...digest, detail: told }), personal };
  };
  const whole = record(detail);
  const place = { orgId, atMs, kind, subject };
  if (Buffer.byteLength(whole.entry) <= AUDIT_RECORD_BYTES_MAX) return { ...place, ...whole };
  // A leaf has a limit. The digest still proves the detail, which is kept with the personal values.
  values["detail"] = canonicalJson(detail);
  return { ...place, ...record({ is_apart: true }) };
}

/** The digest that a record has of its personal values. @param json of {@link NewPersonalValues}. */
export function personalDigest(salt: string, json: string): string {
  return `sha256:${hash("sha256", `${salt}\0${json}`, "base64url")}`;
}

/** The form of the ids that this program makes. Text of this form names nobody. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The form of names of rights. A caller without a credential may claim a role of any text. */
const RIGHT = /^[a-z][a-z\d_:.*-]{0,63}$/i;

/** What a record tells of the caller. @param values gets the rest, by its place in the record. */
function originMembers(
  { caller, request }: Origin,
  values: Record<string, string>,
): Record<string, JsonValue> {
  const { kind, authenticatedBy, userId, agentId, keyId, roles, permissions } = caller;
  const rights = (name: string, texts: readonly string[]): string[] =>
    texts.map((text, index) => {
      if (RIGHT.test(text)) return text;
      values[`by.${name}.${String(index)}`] = text;
      return "";
    });
  if (agentId !== undefined) values["by.agent"] = agentId;
  if (userId !== undefined) values["by.user"] = userId;
  const by = {
    kind,
    authenticated_by: authenticatedBy,
    roles: rights("roles", roles),
    permissions: rights("permissions", permissions),
    ...(keyId === undefined ? {} : { key: keyId }),
  };
  if (request === undefined) return { by };
  const { requestId, peerAddress, traceId } = request;
  const isPublic = UUID.test(requestId);
  if (!isPublic) values["request.id"] = requestId;
  values["request.peer"] = peerAddress;
  const trace = traceId === undefined ? {} : { trace: traceId };
  return { by, request: { ...(isPublic ? { id: requestId } : {}), ...trace } };
}
