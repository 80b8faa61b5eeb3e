import { createHash } from "node:crypto";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { isoTime } from "@steward/kernel/clock.js";
import { UNREADABLE_KIND, type AuditRecord } from "../../audit/index.js";
import type { ExportedEvent } from "../ports.js";
import { actorOf, endpointOf } from "./actors.js";
import { classMembersOf } from "./event-classes.js";
import { outcomeOf } from "./outcome.js";
import { readRecord, type ReadRecord } from "./record-entry.js";

/** The version of the schema (https://schema.ocsf.io/1.8.0) that events follow. */
export const OCSF_VERSION = "1.8.0";

/** Where events come from. */
export interface OcsfSource {
  /** The name of the audit log. */
  readonly logName: string;
  /** The version of this program. */
  readonly version: string;
}

/** An event of OCSF. */
export type OcsfEvent = Readonly<Record<string, JsonValue>>;

/**
 * The event of a record. It names who did what from where, as long as the names are not erased, and holds no value of a statement, no
 * text that a person wrote and no secret: these are no part of the record itself.
 */
export function ocsfEventOf(record: AuditRecord, source: OcsfSource): OcsfEvent {
  const read = readRecord(record);
  const { entry, text, call, requestId } = read;
  const { subject, kind, detail } = entry;
  const classMembers = classMembersOf(read);
  return {
    ...classMembers,
    ...outcomeOf(entry, call),
    time: Date.parse(entry.at),
    message: subject === "" ? kind : `${kind} ${subject}`,
    metadata: metadataOf(read, source, profilesOf(classMembers)),
    actor: actorOf(read),
    src_endpoint: endpointOf(read),
    ...(requestId === undefined ? {} : { http_request: { uid: requestId } }),
    ...(typeof detail["count"] === "number" ? { count: detail["count"] } : {}),
    raw_data_hash: hashOf(text),
    unmapped: unmappedOf(read),
  };
}

/** The event of a record, ready to be sent. */
export function exportedEvent(record: AuditRecord, source: OcsfSource): ExportedEvent {
  return sentEvent(record.index, ocsfEventOf(record, source));
}

/** The event in the place of a record that cannot be read: what is known of it, and its digest. */
export function unreadableEvent(record: AuditRecord, source: OcsfSource): ExportedEvent {
  const { index, orgId, entry } = record;
  const at = /"at":"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/.exec(entry)?.[1] ?? isoTime(0);
  const known = { at, detail: { index }, kind: UNREADABLE_KIND, org: orgId, subject: "" };
  const event = ocsfEventOf(
    { index, orgId, entry: JSON.stringify(known), personal: undefined },
    source,
  );
  return sentEvent(index, { ...event, raw_data_hash: hashOf(entry) });
}

function sentEvent(index: number, event: OcsfEvent): ExportedEvent {
  return {
    index,
    atMs: Number(event["time"]),
    severity: Number(event["severity_id"]),
    // `metadataOf` writes it.
    kind: (event["metadata"] as { readonly event_code: string }).event_code,
    json: JSON.stringify(event),
  };
}

function hashOf(text: string): OcsfEvent {
  const value = createHash("sha256").update(text).digest("hex");
  return { algorithm_id: 3, algorithm: "SHA-256", value };
}

function metadataOf(
  { index, entry, call, requestId }: ReadRecord,
  { logName, version }: OcsfSource,
  profiles: readonly string[],
): OcsfEvent {
  const { org, kind, request } = entry;
  const correlation = request?.trace ?? requestId ?? call?.event_id;
  return {
    version: OCSF_VERSION,
    product: { name: "Steward", vendor_name: "Steward", version },
    uid: `${logName}/${String(index)}`,
    sequence: index,
    log_name: logName,
    event_code: kind,
    original_time: entry.at,
    tenant_uid: org,
    ...(correlation === undefined ? {} : { correlation_uid: correlation }),
    ...(profiles.length === 0 ? {} : { profiles }),
  };
}

/** The profiles whose attributes an event has. */
function profilesOf(members: OcsfEvent): readonly string[] {
  return [
    ...(members["trace"] === undefined ? [] : ["trace"]),
    ...(members["message_context"] === undefined ? [] : ["ai_operation"]),
  ];
}

/** What OCSF has no attribute for. It has no personal value. */
function unmappedOf({ entry: { by, detail } }: ReadRecord): OcsfEvent {
  if (by === undefined) return { detail };
  const { kind, authenticated_by, roles, permissions } = by;
  return { detail, caller: { kind, authenticated_by, roles, permissions } };
}
