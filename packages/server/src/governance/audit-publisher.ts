import type { EventBus } from "../kernel/event-bus.js";
import { auditEventOf, type AuditEvents, type ToolCallLog } from "../kernel/tool-call.js";

/**
 * Publishes every recorded tool call as `LlmToolCallAuditRecorded` (Contract §4.5, recording rule 1), right
 * after the commit that recorded it. Calls that a former process recorded, and of which no usage row has been
 * made, are published first: an event may come again after a crash, told apart by `event_id`.
 * @returns ends it.
 */
export async function publishToolCalls(
  log: ToolCallLog,
  bus: EventBus<AuditEvents>,
): Promise<Disposable> {
  const unsubscribe = log.onRecorded((calls) => {
    for (const call of calls) bus.publish("LlmToolCallAuditRecorded", auditEventOf(call));
  });
  await log.replay();
  return { [Symbol.dispose]: unsubscribe };
}
