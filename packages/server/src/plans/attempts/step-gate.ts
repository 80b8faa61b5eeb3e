import { assert } from "@steward/kernel/assert.js";
import { sessionOr } from "@steward/kernel/caller.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import type { AnnouncedToolCall, ToolCallGate } from "../../governance/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { ClaimableStep, StepRef } from "../ports.js";
import type { GrantedStep } from "./attempt-runner.js";

/** A request to run a step. */
export interface AskedStep {
  readonly ref: StepRef;
  readonly ctx: QueryRuntimeContext;
  readonly gate: StepGate;
  readonly signal: AbortSignal;
  /** The step as it was granted last. */
  granted?: GrantedStep;
}

/** The admission of one attempt's tool call, which is asked for once and released once. */
export class StepGate {
  readonly #gate: ToolCallGate;
  #call: AnnouncedToolCall | undefined;
  #warnings: readonly string[] = [];

  constructor(gate: ToolCallGate) {
    this.#gate = gate;
  }

  /** The call that was admitted. */
  get call(): AnnouncedToolCall {
    assert(this.#call !== undefined, "a call is admitted before its step is claimed");
    return this.#call;
  }

  /** Sentences that warn the agent. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Admits the call, unless it is admitted already. It fails as {@link ToolCallGate.admit} does. */
  admit(announce: () => AnnouncedToolCall): undefined | Promise<undefined> {
    if (this.#call !== undefined) return undefined;
    const call = announce();
    return whenKnown(this.#gate.admit(call), (warnings) => {
      this.#warnings = warnings;
      this.#call = call;
      return undefined;
    });
  }

  /** Releases the call if it was admitted: it did not run and will have no record. */
  release(): void {
    if (this.#call !== undefined) this.#gate.release(this.#call);
    this.#call = undefined;
  }
}

/** The call as the usage gate sees it before it runs. */
export function announcedCall(
  { orgId }: StepRef,
  { step, sessionId }: Pick<ClaimableStep, "step" | "sessionId">,
  ctx: QueryRuntimeContext,
  eventId: string,
): AnnouncedToolCall {
  return {
    eventId,
    orgId,
    sessionId: sessionOr(ctx, sessionId),
    toolName: step.toolName,
    intent: step.intent,
    ormModel: ctx.ormModel,
  };
}
