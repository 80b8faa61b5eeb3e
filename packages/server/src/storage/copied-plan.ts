import type { ToolCallRecord } from "../kernel/tool-call.js";
import type { PlanEvent, PlanRecord, PreparedStep } from "../plans/index.js";
import type { PlanState, StepContext } from "../plans/transitions.js";

/** Everything a store keeps of one plan, on its way from one engine to another. */
export interface CopiedPlan {
  readonly record: PlanRecord;
  readonly state: PlanState;
  readonly prepared: readonly PreparedStep[];
  readonly events: readonly PlanEvent[];
  /** What each step left that has ended, by its index. */
  readonly contexts: ReadonlyMap<number, StepContext>;
  /** In the order of the log. */
  readonly calls: readonly CopiedCall[];
}

/** A tool call, and who has done with it. */
export interface CopiedCall {
  readonly record: ToolCallRecord;
  readonly isUsage: boolean;
  readonly isRemembered: boolean;
}

/** What of a plan everybody can see: equal texts are equal plans. */
export function visibleText(plan: Pick<CopiedPlan, "record" | "events" | "contexts">): string {
  const contexts = [...plan.contexts].sort(([a], [b]) => a - b);
  return JSON.stringify([plan.record, plan.events, contexts]);
}
