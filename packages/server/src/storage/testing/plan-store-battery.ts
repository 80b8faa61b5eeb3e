import { afterEach, beforeEach, describe, expect } from "vitest";
import type { Clock } from "@steward/kernel/clock.js";
import type { PlanEvent, PreparedStep } from "../../plans/index.js";
import type { AttemptRef, FinishResult, NewPlan, PlanRef } from "../../plans/ports.js";
import type { StepOutcome } from "../../plans/transitions.js";
import type { Store } from "../store.js";
import { approvalCases } from "./approval-battery.js";
import { HandClock } from "./hand-clock.js";
import { planCases } from "./plan-cases.js";
import { planRevisionCases } from "./plan-revision-battery.js";
import { claimed, completed, newPlan, toolCall } from "./sample-plans.js";
import { stepCases } from "./step-cases.js";
import { toolCallCases } from "./tool-call-cases.js";

/** An engine under test. */
export type StoreUnderTest = AsyncDisposable &
  Pick<Store, "plans" | "approvals" | "toolCalls" | "usage" | "memory">;

/** An open store, and short forms of what the cases do with it. */
export interface PlanBattery {
  /** The store as it is opened at the moment. */
  readonly store: () => StoreUnderTest;
  readonly clock: () => HandClock;
  readonly restart: () => Promise<void>;
  readonly submit: (steps: readonly PreparedStep[], over?: Partial<NewPlan>) => Promise<PlanRef>;
  /** Claims a step that nothing prevents from being claimed. */
  readonly claim: (ref: PlanRef, stepId: string) => Promise<AttemptRef>;
  /** Ends an attempt; absent outcome: it completes. */
  readonly finish: (attempt: AttemptRef, outcome?: StepOutcome) => Promise<FinishResult>;
  /** All events of a plan. */
  readonly events: (ref: PlanRef) => Promise<readonly PlanEvent[]>;
}

/**
 * The required behaviour of every engine for plans and tool calls. Within one test, each call of
 * `open` opens the same database, as a restarted process would.
 */
export function planStoreBattery(
  engine: string,
  open: (clock: Clock) => Promise<StoreUnderTest>,
): void {
  describe(`plan store on ${engine}`, () => {
    let clock: HandClock;
    let store: StoreUnderTest;

    beforeEach(async () => {
      clock = new HandClock();
      store = await open(clock);
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
    });

    const restart = async (): Promise<void> => {
      await store[Symbol.asyncDispose]();
      store = await open(clock);
    };
    const submit = async (steps: readonly PreparedStep[], over: Partial<NewPlan> = {}) => {
      const plan = newPlan(clock, steps, over);
      await store.plans.createPlan(plan);
      return plan.ref;
    };
    const claim = async (ref: PlanRef, stepId: string): Promise<AttemptRef> => {
      const result = await store.plans.claimStep({ ...ref, stepId }, "owner");
      expect(result.kind).toBe("claimed");
      return { ...ref, stepId, attempt: claimed(result).attempt };
    };
    const finish = async (attempt: AttemptRef, outcome: StepOutcome = completed()) =>
      store.plans.finishStep(attempt, outcome, toolCall(attempt));
    const events = (ref: PlanRef): Promise<readonly PlanEvent[]> =>
      store.plans.readEvents(ref, 0, 1000);

    const battery: PlanBattery = {
      store: () => store,
      clock: () => clock,
      ...{ restart, submit, claim, finish, events },
    };
    planCases(battery);
    stepCases(battery);
    toolCallCases(battery);
    planRevisionCases(battery);
    approvalCases(battery);
  });
}
