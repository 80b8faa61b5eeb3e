import type { PlanUnit } from "../../plans/engine/index.js";
import { APPROVAL_VOID, type PlanNews } from "../../webhooks/index.js";

/**
 * What webhooks tell of units: their events, and the approvals that became void, of which the
 * plan's log has no event.
 */
export function webhookNewsOf(units: readonly PlanUnit[]): readonly PlanNews[] {
  return units.flatMap(({ ref: { planId }, entries }) =>
    entries.flatMap(({ events, approvals }) => {
      const last = events.at(-1);
      if (last === undefined) return [];
      const { sequence, timestamp } = last;
      const voided = approvals.filter(({ approval }) => approval.status === "void");
      const news = voided.map(({ stepId, approval: { approvalId, digest } }) => ({
        ...{ planId, sequence, timestamp, eventType: APPROVAL_VOID },
        messageId: `msg_${approvalId}_void`,
        payloadJson: JSON.stringify({ approval_id: approvalId, step_id: stepId, digest }),
      }));
      return [...events, ...news];
    }),
  );
}
