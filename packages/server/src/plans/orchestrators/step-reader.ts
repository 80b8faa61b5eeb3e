import { isOwn } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { kindsOf } from "../attempts/permit-steps.js";
import type { PlanEngine, StoredSource } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { StepDetail } from "../plan-check.js";
import type { PreparedStep } from "../plan.js";
import type { SqlValue, StepOutput, StepRef, ToolRegistry } from "../ports.js";
import { bindOutputs } from "../statements/bind-outputs.js";
import type { SourceToHandOut, StoredOutputs } from "../attempts/stored-outputs.js";
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
   * @throws AppError `POLICY_DENIED` when the caller may not have its output or its values. Whoever has not written
   * its statement may not have what the statement writes either.
   */
  async getStep(ref: StepRef, ctx: QueryRuntimeContext): Promise<StepDetail | undefined> {
    const stored = await this.#parts.engine.findStep(ref);
    if (stored === undefined) return undefined;
    const { record, prepared, outputs, execution, sources } = stored;
    const [own, ...bound] = sources;
    const showsStatement = !(prepared.writers ?? []).some((writer) => isOwn(ctx, writer));
    const isTold = execution !== undefined || (showsStatement && writesValues(prepared));
    const told =
      own === undefined || !isTold ? bound : [showsStatement ? withStatement(own) : own, ...bound];
    await this.#parts.outputs.permit(ctx, told);
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

function withStatement(source: StoredSource): SourceToHandOut {
  return { step: source.step, result: () => source.result(), showsStatement: true };
}

/** Whether the text of a statement can have values that it writes. */
function writesValues(step: PreparedStep): boolean {
  return kindsOf(step).some((kind) => kind === "write_insert" || kind === "write_update");
}
