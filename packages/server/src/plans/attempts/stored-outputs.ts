import { AppError } from "@steward/kernel/errors.js";
import { type OutputPolicy, type OutputToHandOut, recordedData } from "../../governance/index.js";
import type { OutputSource, RecordedData } from "../../kernel/tool-call.js";
import { kindsOf } from "./permit-steps.js";
import type { StoredResult, StoredSource } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PreparedStep } from "../plan.js";
import { StatementError, type ToolRegistry } from "../ports.js";

/** Time limit for the description of a statement whose touched data were not recorded, in ms. */
const DESCRIBE_MS_MAX = 5_000;

/** Dependencies of the decision on stored outputs. */
export interface StoredOutputsParts {
  readonly policy: OutputPolicy;
  readonly tools: ToolRegistry;
  /** How long a statement may wait for its turn at its data source, in ms. */
  readonly stepWaitMs: number;
}

/**
 * Decides who may have a stored output. It is asked whenever an output leaves the log: for an answer,
 * and for the parameters of another statement. The policies in force decide for the present caller,
 * about each step that values in the output come from.
 */
export class StoredOutputs {
  readonly #parts: StoredOutputsParts;

  constructor(parts: StoredOutputsParts) {
    this.#parts = parts;
  }

  /**
   * Permits handing out the outputs of these steps.
   * @returns what a tool call records of them, if policies depend on the touched data.
   * @throws AppError `POLICY_DENIED`, naming the step.
   */
  async permit(
    ctx: QueryRuntimeContext,
    sources: readonly StoredSource[],
  ): Promise<readonly OutputSource[]> {
    if (sources.length === 0) return [];
    const looksAtData = await this.#parts.policy.looksAtData(ctx);
    const recorded: OutputSource[] = [];
    for (const source of sources) {
      const touched = await this.#permitOne(ctx, source, looksAtData);
      const { dataSource, intent } = source.step;
      recorded.push({ dataSource, intent, touched });
    }
    return recorded;
  }

  /** The refusal of {@link permit}; `undefined` when there is none. */
  async refusal(
    ctx: QueryRuntimeContext,
    sources: readonly StoredSource[],
  ): Promise<AppError | undefined> {
    try {
      await this.permit(ctx, sources);
      return undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === "POLICY_DENIED") return error;
      throw error;
    }
  }

  async #permitOne(
    ctx: QueryRuntimeContext,
    { step, result }: StoredSource,
    looksAtData: boolean,
  ): Promise<RecordedData | undefined> {
    const { dataSource, intent } = step;
    const asked = { dataSource, intent, kinds: kindsOf(step) };
    try {
      if (!looksAtData) {
        await this.#permitWithout(ctx, asked, result);
        return undefined;
      }
      const stored = await result();
      const touched = stored && (await this.#touchedBy(ctx, step, stored));
      await this.#parts.policy.permitOutput(ctx, {
        ...asked,
        ...(touched && { touched }),
        ranBy: stored?.call?.caller,
      });
      return touched;
    } catch (error) {
      throw ofStep(error, step.id);
    }
  }

  /** Policies that do not look at data decide without the log, unless a person has approved the run. */
  async #permitWithout(
    ctx: QueryRuntimeContext,
    asked: OutputToHandOut,
    result: StoredSource["result"],
  ): Promise<void> {
    const { policy } = this.#parts;
    try {
      await policy.permitOutput(ctx, asked);
    } catch (error) {
      const ranBy = (await result())?.call?.caller;
      if (ranBy === undefined) throw error;
      await policy.permitOutput(ctx, { ...asked, ranBy });
    }
  }

  /**
   * The data that a result tells of: those that were recorded with it. No policy depended on them
   * when older results were stored; for these the database says what the statement touches now.
   * @throws AppError `POLICY_DENIED` when that cannot be told.
   */
  async #touchedBy(
    ctx: QueryRuntimeContext,
    step: PreparedStep,
    stored: StoredResult,
  ): Promise<RecordedData | undefined> {
    const touched = stored.call?.touched;
    if (touched !== undefined) return touched;
    if (stored.toolOutputJson === "[]") return undefined;
    return (await this.#described(ctx, step)) ?? unknownData();
  }

  async #described(
    ctx: QueryRuntimeContext,
    { dataSource, intent, statement: { sql, binds } }: PreparedStep,
  ): Promise<RecordedData | undefined> {
    const target = this.#parts.tools.target(dataSource);
    if (target === undefined) return undefined;
    // A tool that takes no SQL touches no tables that policies could name.
    if (!("dialect" in target)) return { tables: [], functions: [] };
    const limits = { waitMs: this.#parts.stepWaitMs, timeoutMs: DESCRIBE_MS_MAX };
    const asked = { sql, intent, parameterCount: binds.length, caller: ctx, ...limits };
    try {
      return recordedData((await target.describe(asked, ctx.signal)).touched);
    } catch (error) {
      if (error instanceof StatementError && error.reason !== "aborted") return undefined;
      throw error;
    }
  }
}

function unknownData(): never {
  throw new AppError(
    "POLICY_DENIED",
    "policies of the organization depend on tables and columns, and it was not recorded which ones " +
      "the statement touched: run the statement again in a new step",
  );
}

function ofStep(error: unknown, stepId: string): unknown {
  if (!(error instanceof AppError) || error.code !== "POLICY_DENIED") return error;
  return new AppError(
    "POLICY_DENIED",
    `The output of step ${stepId} is not given to you: ${error.message}`,
    { details: error.details, cause: error },
  );
}
