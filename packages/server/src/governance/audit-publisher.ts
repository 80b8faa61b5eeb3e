import type { EventBus } from "../kernel/event-bus.js";
import { auditEventOf, type AuditEvents, type ToolCallLog } from "../kernel/tool-call.js";

/**
 * Publishes every recorded tool call as `LlmToolCallAuditRecorded` (Contract §4.5, recording rule
 * 1), right after the commit that recorded it. Calls that a previous process recorded, and that
 * have no usage row yet, are published first. So an event may be repeated after a crash; `event_id`
 * identifies duplicates.
 * @returns a function that ends it.
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
