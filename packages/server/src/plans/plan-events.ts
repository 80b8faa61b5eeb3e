import { isoTime } from "@steward/kernel/clock.js";

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

/** An event that was just made. Stores keep its values, so its texts are made only for other readers. */
export class NewPlanEvent implements PlanEvent {
  readonly planId: string;
  readonly sequence: number;
  readonly eventType: PlanEventType;
  readonly payload: object;
  /** Milliseconds since the epoch. */
  readonly atMs: number;

  constructor(
    { planId, sequence }: Pick<PlanEvent, "planId" | "sequence">,
    eventType: PlanEventType,
    payload: object,
    atMs: number,
  ) {
    this.planId = planId;
    this.sequence = sequence;
    this.eventType = eventType;
    this.payload = payload;
    this.atMs = atMs;
  }

  get payloadJson(): string {
    return JSON.stringify(this.payload);
  }

  get timestamp(): string {
    return isoTime(this.atMs);
  }
}

/** Whether this event ends the plan, unless a retry reopens it. A stream of events ends here. */
export function isTerminalEvent(eventType: PlanEventType): boolean {
  return (
    eventType === "PlanCompleted" || eventType === "PlanFailed" || eventType === "PlanCancelled"
  );
}
