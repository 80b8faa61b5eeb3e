import { invalidField } from "@steward/kernel/errors.js";
import { uuidV7, type Ids } from "@steward/kernel/ids.js";
import { ENTRY_CONTENT_BYTES_MAX } from "./limits.js";
import { SESSION_ID_LENGTH_MAX } from "../kernel/limits.js";
import { type OutputSource, sourcesOfCall, type ToolCallRecord } from "../kernel/tool-call.js";

/** One memory entry: a JSON text. */
export interface MemoryEntry {
  readonly orgId: string;
  /** UUID, lower case. */
  readonly entryId: string;
  readonly sessionId: string;
  /** JSON text, unchanged (Contract §2.7). */
  readonly content: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** The recorded tool call; absent for an entry that a caller wrote. */
  readonly toolCall?: RememberedCall;
}

/** What an entry keeps of its tool call beside the content. */
export interface RememberedCall {
  readonly toolName: string;
  readonly intent: string;
  /**
   * The statements that its content comes from, by which policies decide who may have it. Absent:
   * the entry is older than this member.
   */
  readonly sources?: readonly OutputSource[];
}

/** An entry that a caller writes. */
export interface EntryDraft {
  readonly sessionId: string;
  /** JSON text. */
  readonly content: string;
}

/**
 * The id of a tool call's entry: the end time of the call, followed by the record's own random
 * bits. So a record that is read twice after a crash makes one entry, and consecutive entries are
 * adjacent in every index: each batch writes a few pages, not one for each entry.
 */
export function toolCallEntryId(call: Pick<ToolCallRecord, "eventId" | "finishedAtMs">): string {
  const bytes = Buffer.from(call.eventId.replaceAll("-", ""), "hex");
  return uuidV7(call.finishedAtMs, bytes.subarray(6));
}

export function toolCallEntry(record: ToolCallRecord): MemoryEntry {
  return {
    orgId: record.orgId,
    entryId: toolCallEntryId(record),
    sessionId: record.sessionId,
    content: JSON.stringify({
      plan_id: record.planId,
      step_id: record.stepId,
      tool_name: record.toolName,
      intent: record.intent,
      query: record.query,
      status: record.status,
      row_count: record.rowCount,
      output: record.output,
      error: record.error ?? null,
    }),
    createdAtMs: record.finishedAtMs,
    toolCall: {
      toolName: record.toolName,
      intent: record.intent,
      sources: sourcesOfCall(record),
    },
  };
}

/**
 * The entry of a caller's draft.
 * @throws AppError `INVALID_ARGUMENT` naming the field.
 */
export function draftedEntry(
  draft: EntryDraft,
  owner: { readonly orgId: string; readonly createdAtMs: number },
  ids: Ids,
): MemoryEntry {
  const { sessionId, content } = draft;
  if (sessionId.length === 0 || sessionId.length > SESSION_ID_LENGTH_MAX) {
    throw invalidField("session_id", `must have 1 to ${SESSION_ID_LENGTH_MAX} characters`);
  }
  if (Buffer.byteLength(content) > ENTRY_CONTENT_BYTES_MAX) {
    throw invalidField("content", `must have at most ${ENTRY_CONTENT_BYTES_MAX} bytes`);
  }
  if (!isJson(content)) throw invalidField("content", "must be JSON text");
  return { ...owner, sessionId, content, entryId: ids.orderedUuid() };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
