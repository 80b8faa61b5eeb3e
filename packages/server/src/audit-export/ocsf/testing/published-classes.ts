/**
 * What the published schema of OCSF 1.8.0 says about the three classes of events and their objects,
 * as far as events of Steward use them; written from https://schema.ocsf.io/1.8.0 and the tag 1.8.0
 * of https://github.com/ocsf/ocsf-schema. An attribute that is not listed here must be looked up
 * there before an event may have it.
 */

/** A class or an object: its attributes with their types, and which of them must be there. */
interface Shape {
  /** `name!: type` is required; `[]`: a list; a number list: the values of an enumeration. */
  readonly attributes: Readonly<Record<string, string | readonly number[]>>;
  readonly atLeastOne?: readonly string[];
}

const ENTITY = { name: "string", uid: "string" };
const NAME_OR_UID = ["name", "uid"];

/** Attributes of every event (base_event). */
const BASE = {
  "category_uid!": "integer",
  category_name: "string",
  "class_uid!": "integer",
  class_name: "string",
  activity_name: "string",
  "type_uid!": "integer",
  type_name: "string",
  "severity_id!": [0, 1, 2, 3, 4, 5, 6, 99],
  severity: "string",
  status_id: [0, 1, 2, 99],
  status: "string",
  status_code: "string",
  "time!": "timestamp",
  "metadata!": "metadata",
  message: "string",
  count: "integer",
  duration: "integer",
  raw_data_hash: "fingerprint",
  unmapped: "any",
  http_request: "http_request",
};

/** Attributes of the profile ai_operation. */
const AI_OPERATION = { message_context: "message_context" };

/** The classes by their `class_uid`, with the attributes that a profile adds. */
export const CLASSES: Readonly<
  Record<number, Shape & { readonly category: number; readonly profiles: Record<string, string> }>
> = {
  6003: {
    category: 6,
    profiles: { trace: "trace", message_context: "ai_operation" },
    attributes: {
      ...BASE,
      ...AI_OPERATION,
      "activity_id!": [0, 1, 2, 3, 4, 99],
      "actor!": "actor",
      "api!": "api",
      resources: "resource_details[]",
      "src_endpoint!": "network_endpoint",
      trace: "trace",
    },
  },
  6005: {
    category: 6,
    profiles: { message_context: "ai_operation" },
    attributes: {
      ...BASE,
      ...AI_OPERATION,
      "activity_id!": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99],
      "actor!": "actor",
      database: "database",
      query_info: "query_info",
      "src_endpoint!": "network_endpoint",
      table: "table",
      type: "string",
      type_id: [0, 1, 2, 3, 99],
    },
    atLeastOne: ["database", "databucket", "table"],
  },
  3002: {
    category: 3,
    profiles: {},
    attributes: {
      ...BASE,
      "activity_id!": [0, 1, 2, 3, 4, 5, 6, 7, 99],
      actor: "actor",
      is_remote: "boolean",
      service: "service",
      src_endpoint: "network_endpoint",
      "user!": "user",
    },
    atLeastOne: ["service", "dst_endpoint"],
  },
};

export const OBJECTS: Readonly<Record<string, Shape>> = {
  metadata: {
    attributes: {
      "version!": "string",
      "product!": "product",
      uid: "string",
      sequence: "integer",
      log_name: "string",
      event_code: "string",
      original_time: "string",
      tenant_uid: "string",
      correlation_uid: "string",
      profiles: "string[]",
    },
  },
  product: {
    attributes: { ...ENTITY, vendor_name: "string", version: "string" },
    atLeastOne: NAME_OR_UID,
  },
  actor: {
    attributes: { user: "user", app_name: "string", app_uid: "string" },
    atLeastOne: ["process", "user", "invoked_by", "session", "app_name", "app_uid"],
  },
  user: {
    attributes: {
      ...ENTITY,
      type_id: [0, 1, 2, 3, 4, 99],
      type: "string",
      credential_uid: "string",
      org: "organization",
    },
    atLeastOne: ["account", "name", "uid"],
  },
  organization: { attributes: ENTITY, atLeastOne: NAME_OR_UID },
  network_endpoint: {
    attributes: { ...ENTITY, ip: "ip", svc_name: "string" },
    atLeastOne: [
      ...["ip", "uid", "name", "hostname", "svc_name", "instance_uid", "interface_uid"],
      ...["interface_name", "domain"],
    ],
  },
  http_request: { attributes: { uid: "string" } },
  api: { attributes: { "operation!": "string", service: "service", request: "request" } },
  request: { attributes: { "uid!": "string" } },
  service: { attributes: { ...ENTITY, version: "string" }, atLeastOne: NAME_OR_UID },
  resource_details: { attributes: { ...ENTITY, type: "string" }, atLeastOne: NAME_OR_UID },
  trace: { attributes: { "uid!": "string" } },
  message_context: {
    attributes: {
      ...ENTITY,
      ai_role_id: [0, 1, 2, 3, 4, 5, 6, 99],
      ai_role: "string",
      service: "service",
    },
    atLeastOne: ["application", "service"],
  },
  database: {
    attributes: { ...ENTITY, "type_id!": [0, 1, 2, 3, 4, 5, 6, 7, 8, 99], type: "string" },
    atLeastOne: NAME_OR_UID,
  },
  table: { attributes: ENTITY, atLeastOne: NAME_OR_UID },
  query_info: { attributes: { ...ENTITY, "query_string!": "string" }, atLeastOne: NAME_OR_UID },
  fingerprint: {
    attributes: {
      "algorithm_id!": [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 99,
      ],
      algorithm: "string",
      "value!": "string",
    },
  },
};
