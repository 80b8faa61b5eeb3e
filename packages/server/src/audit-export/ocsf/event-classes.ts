import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { userOf } from "./actors.js";
import {
  API_ACTIVITIES,
  AUTHENTICATION_ACTIVITIES,
  eventKindOf,
  type EventKind,
} from "./event-kinds.js";
import type { ReadRecord, RecordedCall } from "./record-entry.js";
import { statementShape } from "./statement-shape.js";

type Members = Readonly<Record<string, JsonValue>>;

/** The classes of events, with OCSF's numbers. */
const CLASSES = {
  api: { uid: 6003, name: "API Activity", category: 6, categoryName: "Application Activity" },
  datastore: {
    ...{ uid: 6005, name: "Datastore Activity" },
    ...{ category: 6, categoryName: "Application Activity" },
  },
  authentication: {
    ...{ uid: 3002, name: "Authentication" },
    ...{ category: 3, categoryName: "Identity & Access Management" },
  },
} as const;

/** OCSF's `activity_id` of Datastore Activity, by the intent of a call. */
const DATASTORE_ACTIVITIES: Readonly<Record<string, readonly [id: number, name: string]>> = {
  read_select: [4, "Query"],
  write_insert: [5, "Write"],
  write_update: [2, "Update"],
  write_delete: [7, "Delete"],
};

/** The members that depend on the class of an event. */
export function classMembersOf(read: ReadRecord): Members {
  const { call, toolName } = read;
  if (call !== undefined && isOnDatabase(call, toolName)) return datastoreMembers(read, call);
  const kind = eventKindOf(read.entry.kind);
  return kind.className === "api" ? apiMembers(read, kind) : authenticationMembers(read, kind);
}

/** Calls of other MCP servers and of built-in tools are not statements on a database. */
function isOnDatabase({ data_source: source }: RecordedCall, tool = ""): boolean {
  return source !== "" && !source.startsWith("mcp:") && !tool.startsWith("mcp:");
}

function datastoreMembers({ agent, statement }: ReadRecord, call: RecordedCall): Members {
  const { intent, data_source: source, tables = [], duration_ms: duration } = call;
  const shape = statement === undefined ? undefined : statementShape(statement);
  const [first] = tables;
  return {
    ...activity("datastore", DATASTORE_ACTIVITIES[intent] ?? [99, intent]),
    // OCSF counts whole milliseconds.
    duration: Math.round(duration),
    type_id: 1,
    type: "Database",
    database: { name: source, type_id: 1, type: "Relational" },
    ...(first === undefined ? {} : { table: { name: first } }),
    ...(shape === undefined ? {} : { query_info: { uid: call.event_id, query_string: shape } }),
    ...agentMembers(agent),
  };
}

function apiMembers(
  { entry, toolName, agent, requestId }: ReadRecord,
  { activity: name }: Extract<EventKind, { className: "api" }>,
): Members {
  const { kind, subject, request, detail } = entry;
  const { trace } = request ?? {};
  const type = kind.split(".")[0] ?? kind;
  const operation = typeof detail["operation"] === "string" ? detail["operation"] : undefined;
  return {
    ...activity("api", [API_ACTIVITIES[name], name === "Other" ? kind : name]),
    api: {
      operation: toolName ?? operation ?? eventNames(detail) ?? kind,
      service: { name: "Steward" },
      ...(requestId === undefined ? {} : { request: { uid: requestId } }),
    },
    ...(subject === "" ? {} : { resources: [{ uid: subject, type }] }),
    ...(trace === undefined ? {} : { trace: { uid: trace } }),
    ...agentMembers(agent),
  };
}

function authenticationMembers(
  read: ReadRecord,
  { activity: name }: Extract<EventKind, { className: "authentication" }>,
): Members {
  return {
    ...activity("authentication", [AUTHENTICATION_ACTIVITIES[name], name]),
    user: userOf(read),
    service: { name: "Steward" },
    is_remote: true,
  };
}

/** The profile ai_operation: the agent that acts. */
function agentMembers(agent: string | undefined): Members {
  if (agent === undefined) return {};
  const context = { ai_role_id: 4, ai_role: "Agent", uid: agent, service: { name: "Steward" } };
  return { message_context: context };
}

/** What happened to a plan, such as `PlanCreated`; each name once. */
function eventNames(detail: Members): string | undefined {
  const events = detail["events"];
  if (!Array.isArray(events)) return undefined;
  const names = (events as readonly { readonly type: string }[]).map(({ type }) => type);
  return [...new Set(names)].join(", ") || undefined;
}

function activity(
  className: keyof typeof CLASSES,
  [id, name]: readonly [id: number, name: string],
): Members {
  const { uid, name: caption, category, categoryName } = CLASSES[className];
  return {
    activity_id: id,
    activity_name: name,
    category_uid: category,
    category_name: categoryName,
    class_uid: uid,
    class_name: caption,
    type_uid: uid * 100 + id,
    type_name: `${caption}: ${id === 99 ? "Other" : name}`,
  };
}
