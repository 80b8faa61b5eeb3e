import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import { isOwn, type RecordedCaller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { isSameAsked, type OutputPolicy, type OutputToHandOut } from "../../governance/index.js";
import type { OutputSource, RecordedData } from "../../kernel/tool-call.js";
import type { StoredSource } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import { plannedStatement } from "./permit-steps.js";
import { type DescribeBudget, ToldData, type ToldDataParts, unknownData } from "./told-data.js";

/** Dependencies of the decision on stored outputs. */
export interface StoredOutputsParts extends ToldDataParts {
  readonly policy: OutputPolicy;
}

/** A stored output that is to leave the log. */
export interface SourceToHandOut extends StoredSource {
  /** The text of the statement is handed out too. */
  readonly showsStatement?: true;
}

/** The refusal of a decision by policies; `undefined` when it permits. */
export async function refusalOf(permit: () => Promise<unknown>): Promise<AppError | undefined> {
  try {
    await permit();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === "POLICY_DENIED") return error;
    throw error;
  }
}

/**
 * Decides who may have a stored output. It is asked whenever an output leaves the log: for an answer,
 * and for the parameters of another statement. The policies in force decide for the present caller,
 * about each step that values in the output come from.
 */
export class StoredOutputs {
  readonly #parts: StoredOutputsParts;
  readonly #told: ToldData;

  constructor(parts: StoredOutputsParts) {
    this.#parts = parts;
    this.#told = new ToldData(parts);
  }

  /**
   * Permits handing out the outputs of these steps.
   * @returns what a tool call records of them, each different source once. A refusal rejects with an
   * AppError `POLICY_DENIED`, naming the step.
   */
  permit(
    ctx: QueryRuntimeContext,
    sources: readonly SourceToHandOut[],
    budget?: DescribeBudget,
  ): readonly OutputSource[] | Promise<readonly OutputSource[]> {
    if (sources.length === 0) return [];
    return whenKnown(this.#parts.policy.looksAtData(ctx), (looksAtData) =>
      looksAtData
        ? this.#permitAllByData(ctx, sources, budget)
        : this.#permitAllWithout(ctx, sources, { recorded: [], permitted: [] }),
    );
  }

  /** The refusal of {@link permit}; `undefined` when there is none. */
  async refusal(
    ctx: QueryRuntimeContext,
    sources: readonly SourceToHandOut[],
    budget?: DescribeBudget,
  ): Promise<AppError | undefined> {
    return refusalOf(async () => this.permit(ctx, sources, budget));
  }

  /**
   * The refusal of what a result told that is not stored any more.
   * @param call The statement, which is all that policies are asked about unless they look at data; absent: none
   * is known.
   */
  async refusalOfUnknown(
    ctx: QueryRuntimeContext,
    call?: Pick<OutputToHandOut, "dataSource" | "intent">,
  ): Promise<AppError | undefined> {
    const { policy } = this.#parts;
    if (await policy.looksAtData(ctx)) return refusalOf(unknownData);
    return call && refusalOf(async () => policy.permitOutput(ctx, call));
  }

  async #permitAllByData(
    ctx: QueryRuntimeContext,
    sources: readonly SourceToHandOut[],
    budget: DescribeBudget | undefined,
  ): Promise<readonly OutputSource[]> {
    const recorded: OutputSource[] = [];
    for (const source of sources) {
      const asked = askedOf(source);
      try {
        const touched = await this.#permitByData(ctx, source, asked, budget);
        recorded.push(recordedSource(asked, touched));
      } catch (error) {
        throw ofStep(error, source.step.id);
      }
    }
    return recorded;
  }

  /**
   * Asks the policies about outputs by their statements alone. Each one permitted is added to `recorded`, and to
   * `permitted` if the answer holds for whoever asks the same, so that equal statements are asked about once. What is
   * permitted with the statement's text is permitted without it too, and the text is shown only of the first source.
   */
  #permitAllWithout(
    ctx: QueryRuntimeContext,
    sources: readonly SourceToHandOut[],
    { recorded, permitted }: PermittedOutputs,
  ): readonly OutputSource[] | Promise<readonly OutputSource[]> {
    for (const source of sources) {
      const asked = askedOf(source);
      if (permitted.some((other) => isSameAsked(other, asked))) continue;
      const answer = this.#permitWithout(ctx, asked, source);
      if (answer === true) {
        permitted.push(asked);
        recorded.push(recordedSource(asked, undefined));
        continue;
      }
      const others = sources.slice(sources.indexOf(source) + 1);
      return answer.then(
        (forEverybody) => {
          if (forEverybody) permitted.push(asked);
          recorded.push(recordedSource(asked, undefined));
          return this.#permitAllWithout(ctx, others, { recorded, permitted });
        },
        (error: unknown) => {
          throw ofStep(error, source.step.id);
        },
      );
    }
    return recorded;
  }

  /** @returns the data that the output tells of. */
  async #permitByData(
    ctx: QueryRuntimeContext,
    source: SourceToHandOut,
    asked: AskedOutput,
    budget: DescribeBudget | undefined,
  ): Promise<RecordedData | undefined> {
    const stored = await source.result();
    const touched = await this.#told.by(ctx, source.step, stored, budget);
    const ranBy = stored?.call?.caller;
    // Whoever ran what others wrote may not be permitted all that its text and its error tell.
    const isOfOthers = touched?.unreported && !isWrittenBy(ranBy, source.step);
    await this.#parts.policy.permitOutput(ctx, {
      ...asked,
      ...(touched && { touched }),
      ranBy: isOfOthers ? undefined : ranBy,
    });
    return touched;
  }

  /**
   * Policies that do not look at data decide without the log, unless a person has approved the run.
   * @returns whether they permit it whoever ran the statement.
   */
  #permitWithout(
    ctx: QueryRuntimeContext,
    asked: AskedOutput,
    source: SourceToHandOut,
  ): true | Promise<boolean> {
    const { policy } = this.#parts;
    const answer = policy.permitOutput(ctx, asked);
    if (answer === undefined) return true;
    return answer.then(
      () => true,
      async (error: unknown) => {
        const ranBy = (await source.result())?.call?.caller;
        if (ranBy === undefined) throw error;
        await policy.permitOutput(ctx, { ...asked, ranBy });
        return false;
      },
    );
  }
}

/** The outputs of several steps that may be handed out. */
interface PermittedOutputs {
  /** What a tool call records of them. */
  readonly recorded: OutputSource[];
  /** What was permitted whoever ran the statement, and need not be asked again. */
  readonly permitted: AskedOutput[];
}

/** What policies that do not look at data are asked about an output. */
type AskedOutput = Pick<OutputToHandOut, "dataSource" | "intent" | "kinds" | "showsStatement">;

function askedOf({ step, showsStatement }: SourceToHandOut): AskedOutput {
  const planned = plannedStatement(step, undefined);
  return showsStatement === true ? { ...planned, showsStatement } : planned;
}

function isWrittenBy(
  caller: RecordedCaller | undefined,
  { writers = [] }: SourceToHandOut["step"],
): boolean {
  return caller !== undefined && writers.every((writer) => isOwn(caller, writer));
}

function recordedSource(
  { dataSource, intent, kinds = [] }: AskedOutput,
  touched: RecordedData | undefined,
): OutputSource {
  return { dataSource, intent, kinds, touched };
}

function ofStep(error: unknown, stepId: string): unknown {
  if (!(error instanceof AppError) || error.code !== "POLICY_DENIED") return error;
  return new AppError(
    "POLICY_DENIED",
    `The output of step ${stepId} is not given to you: ${error.message}`,
    { details: error.details, cause: error },
  );
}
