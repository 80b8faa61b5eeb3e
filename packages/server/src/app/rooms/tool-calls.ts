import type { EventBus } from "../../kernel/event-bus.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { AuditEvents } from "../../kernel/tool-call.js";
import type { RecordToolCall } from "../../transport/services.js";
import type { UsageService } from "../../usage/index.js";

/** `source` of the usage rows that calls of the service's own tools make: a URI, as of a CloudEvent. */
const SOURCE = "urn:steward:mcp";

/** Whom the record of a tool call is for. */
export interface ToolCallRecorderParts {
  /** Absent: nothing is stored. */
  readonly usage: Pick<UsageService, "ingest"> | undefined;
  readonly events: EventBus<AuditEvents>;
  readonly ids: Ids;
}

/**
 * Records calls of tools that run no step. Their usage row is written at once: no plan has a log that the row could be
 * made from later.
 */
export function toolCallRecorder({ usage, events, ids }: ToolCallRecorderParts): RecordToolCall {
  return async (caller, { toolName, intent, sessionId }) => {
    const id = ids.uuid();
    const { orgId, ormModel } = caller;
    await usage?.ingest(caller, [
      {
        id,
        source: SOURCE,
        time: undefined,
        toolName,
        intent,
        sessionId: sessionId === "" ? undefined : sessionId,
        ormModel,
      },
    ]);
    events.publish("LlmToolCallAuditRecorded", {
      event_id: id,
      tool_name: toolName,
      context: { org_id: orgId, session_id: sessionId, orm_model: ormModel, intent },
    });
  };
}
