/** Names of the events of a plan (Contract §6, Decision §6). */
export type PlanEventType =
  | "PlanCreated"
  | "PlanStarted"
  | "PlanStepStarted"
  | "PlanStepExecuted"
  | "PlanStepSkipped"
  | "PlanStepCancelled"
  | "PlanStepLeaseExpired"
  | "PlanCompleted"
  | "PlanFailed"
  | "PlanCancelRequested"
  | "PlanCancelled"
  | "PlanRetried"
  | "PlanForked"
  | "PlanStepAppended"
  | "PlanStepRevised"
  | "PlanApprovalRequested"
  | "PlanApprovalDecided"
  | "PlanApprovalExpired";

/** One event of a plan's log (Contract §2.6). */
export interface PlanEvent {
  readonly planId: string;
  /** From 1, without gaps, per plan. */
  readonly sequence: number;
  readonly eventType: PlanEventType;
  readonly payloadJson: string;
  /** RFC 3339, UTC, milliseconds; never decreasing within a plan. */
  readonly timestamp: string;
}

/** Whether this event ends the plan, unless a retry reopens it. A stream of events ends here. */
export function isTerminalEvent(eventType: PlanEventType): boolean {
  return (
    eventType === "PlanCompleted" || eventType === "PlanFailed" || eventType === "PlanCancelled"
  );
}
