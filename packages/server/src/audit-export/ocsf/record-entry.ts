import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { AuditRecord } from "../../audit/index.js";

/** The members of a record that events are made of. */
export interface RecordEntry {
  readonly at: string;
  readonly kind: string;
  readonly org: string;
  readonly subject: string;
  /** Absent: the service itself. */
  readonly by?: {
    readonly kind: string;
    readonly authenticated_by: string;
    readonly roles: readonly string[];
    readonly permissions: readonly string[];
    readonly key?: string;
  };
  /** Its id is a personal value unless it is a UUID. */
  readonly request?: { readonly id?: string; readonly trace?: string };
  readonly detail: Readonly<Record<string, JsonValue>>;
}

/** A tool call, as `detail.call` tells of it. */
export interface RecordedCall {
  readonly event_id: string;
  readonly data_source: string;
  readonly intent: string;
  readonly status: string;
  readonly duration_ms: number;
  readonly tables?: readonly string[];
}

/** A record with the personal values that its event needs. */
export interface ReadRecord {
  readonly index: number;
  /** The text of the leaf. */
  readonly text: string;
  readonly entry: RecordEntry;
  /** The person's id; absent: no person, or erased. */
  readonly user: string | undefined;
  /** The agent's id; absent: no agent, or erased. */
  readonly agent: string | undefined;
  /** The request's id; absent: no request, or erased. */
  readonly requestId: string | undefined;
  /** The client's address; absent: unknown, or erased. */
  readonly peer: string | undefined;
  /** Absent: no tool call, or erased. */
  readonly statement: string | undefined;
  readonly call: RecordedCall | undefined;
  /** The tool of the call; absent: no tool call, or erased. */
  readonly toolName: string | undefined;
}

/** Reads a record, which only this program writes. */
export function readRecord({ index, entry: text, personal }: AuditRecord): ReadRecord {
  const entry = JSON.parse(text) as RecordEntry;
  const values = personal?.values ?? {};
  return {
    index,
    text,
    entry,
    user: values["by.user"],
    agent: values["by.agent"],
    requestId: values["request.id"] ?? entry.request?.id,
    peer: values["request.peer"],
    statement: values["call.statement"],
    call: entry.detail["call"] as RecordedCall | undefined,
    toolName: values["call.tool_name"],
  };
}
