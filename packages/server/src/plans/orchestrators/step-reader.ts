import { AppError } from "@steward/kernel/errors.js";
import type { PlanEngine } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { StepDetail } from "../plan-check.js";
import type { PreparedStep } from "../plan.js";
import type { SqlValue, StepOutput, StepRef, ToolRegistry } from "../ports.js";
import { bindOutputs } from "../statements/bind-outputs.js";
import type { StoredOutputs } from "../attempts/stored-outputs.js";
import type { PlanChecker } from "./plan-checker.js";

/** Dependencies of a step reader. */
interface StepReaderParts {
  readonly engine: PlanEngine;
  readonly checker: PlanChecker;
  readonly tools: ToolRegistry;
  readonly outputs: StoredOutputs;
}

/** Reads single steps of stored plans with everything that is known about them. */
export class StepReader {
  readonly #parts: StepReaderParts;

  constructor(parts: StepReaderParts) {
    this.#parts = parts;
  }

  /**
   * @returns `undefined` when the plan or the step is unknown.
   * @throws AppError `POLICY_DENIED` when the caller may not have its output or its values.
   */
  async getStep(ref: StepRef, ctx: QueryRuntimeContext): Promise<StepDetail | undefined> {
    const stored = await this.#parts.engine.findStep(ref);
    if (stored === undefined) return undefined;
    const { record, prepared, outputs, execution, sources } = stored;
    await this.#parts.outputs.permit(ctx, execution === undefined ? sources.slice(1) : sources);
    const values = outputs && this.#valuesOf(prepared, outputs);
    return {
      planId: ref.planId,
      record,
      prepared,
      ...(values === undefined ? {} : { values }),
      check: await this.#parts.checker.checkStored(prepared, ctx),
      ...(execution === undefined ? {} : { execution }),
    };
  }

  /** @returns `undefined` when the values cannot be bound, with which the step fails, or has failed. */
  #valuesOf(
    { dataSource, statement }: PreparedStep,
    outputs: ReadonlyMap<string, StepOutput>,
  ): readonly SqlValue[] | undefined {
    const target = this.#parts.tools.target(dataSource);
    if (target === undefined) return undefined;
    try {
      return bindOutputs(statement, outputs, "dialect" in target ? target.dialect : "json");
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}
