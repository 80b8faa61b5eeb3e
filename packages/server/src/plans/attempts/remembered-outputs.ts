import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { type Intent, isIntent, type OutputPolicy } from "../../governance/index.js";
import type { OutputSource } from "../../kernel/tool-call.js";
import type { PlanEngine, StoredSource, StoredStep } from "../engine/index.js";
import { REMEMBERED_STEPS_READ_MAX } from "../limits.js";
import { refusalOf, type SourceToHandOut, type StoredOutputs } from "./stored-outputs.js";

/** An entry of the memory, which holds the output of a tool call if it was made of one. */
export interface RememberedOutput {
  readonly orgId: string;
  /** JSON text; of a tool call it names the plan and the step. */
  readonly content: string;
  readonly toolCall?: { readonly intent: string; readonly sources?: readonly OutputSource[] };
}

/** Dependencies of the decision on remembered outputs. */
interface RememberedOutputsParts {
  readonly policy: OutputPolicy;
  readonly engine: Pick<PlanEngine, "findStep">;
  readonly outputs: StoredOutputs;
}

/** Why the caller may not have an entry; `undefined` when the caller may. */
type EntryRefusal = (entry: RememberedOutput) => Promise<AppError | undefined>;

/**
 * Decides who may have the entries of tool calls: those who may have the outputs that an entry
 * repeats, and may read the columns that its statement writes. An entry keeps the sources of its output.
 * Where these do not name the touched data, since no policy depended on them, the step in the log tells. It also
 * tells who ran and wrote a statement of which nothing was reported.
 */
export class RememberedOutputs {
  readonly #parts: RememberedOutputsParts;

  constructor(parts: RememberedOutputsParts) {
    this.#parts = parts;
  }

  /**
   * The decisions of one request, one for all entries with the same sources. An entry whose step would
   * have to be read is refused when the request has read `REMEMBERED_STEPS_READ_MAX` steps.
   */
  refusals(caller: Caller, signal: AbortSignal): EntryRefusal {
    const known = new Map<string, Promise<AppError | undefined>>();
    let stepsLeft = REMEMBERED_STEPS_READ_MAX;
    return async (entry) => {
      const { orgId, content, toolCall } = entry;
      if (toolCall === undefined) return undefined;
      const asking = { ...caller, orgId, signal, requestId: "" };
      const { intent, sources = [{ dataSource: "", intent, touched: undefined }] } = toolCall;
      const isOfStep =
        sources.some(({ touched }) => touched === undefined || touched.unreported) &&
        (await this.#parts.policy.looksAtData(asking));
      const call = isOfStep && callIn(content);
      const key = JSON.stringify([orgId, call || sources]);
      const before = known.get(key);
      if (before !== undefined) return before;
      if (call) stepsLeft -= 1;
      const refusal = refusalOf(async () => {
        if (!call) return this.#permitSources(asking, sources);
        const { engine } = this.#parts;
        const isTold = sources.every(({ touched }) => touched !== undefined);
        const ofAll = () => this.#permitSources(asking, sources);
        if (isTold && (await refusalOf(ofAll)) === undefined) return;
        const step = stepsLeft < 0 ? undefined : await engine.findStep({ orgId, ...call });
        // A step that has been revised, or has ended otherwise since, tells nothing of the call.
        if (step === undefined || !isOfCall(step, call, toolCall.sources)) throw unknownSource();
        await this.#parts.outputs.permit(asking, step.sources.map(withOwnStatement));
      });
      known.set(key, refusal);
      return refusal;
    };
  }

  async #permitSources(caller: Caller, sources: readonly OutputSource[]): Promise<void> {
    for (const [index, { dataSource, intent, kinds, touched }] of sources.entries()) {
      await this.#parts.policy.permitOutput(caller, {
        dataSource,
        intent: knownIntent(intent),
        ...(kinds && { kinds: kinds.map(knownIntent) }),
        touched,
        // The first source is the statement that the entry holds.
        ...(index === 0 && { showsStatement: true }),
      });
    }
  }
}

/** An entry holds the text of its own statement, which is the first source, and of none that it has bound. */
function withOwnStatement(source: StoredSource, index: number): SourceToHandOut {
  if (index !== 0) return source;
  return { step: source.step, result: () => source.result(), showsStatement: true };
}

/** Another orchestrator records intents of its own, of which the gravest is assumed. */
function knownIntent(intent: string): Intent {
  return isIntent(intent) ? intent : "admin";
}

/** A remembered call, as its entry tells it. */
interface ToldCall {
  readonly planId: string;
  readonly stepId: string;
  readonly query: string;
  readonly status: string;
}

/** Only this program writes the entries of tool calls. */
function callIn(content: string): ToldCall {
  const told = JSON.parse(content) as Record<string, string>;
  const { plan_id: planId = "", step_id: stepId = "", query = "", status = "" } = told;
  return { planId, stepId, query, status };
}

/** Whether the result of a step is that of a call. @param sources absent: those of an older entry. */
function isOfCall(
  { prepared, record }: Pick<StoredStep, "prepared" | "record">,
  { query, status }: ToldCall,
  sources: readonly OutputSource[] | undefined,
): boolean {
  const { dataSource } = sources?.[0] ?? prepared;
  return (
    prepared.queryTemplate === query &&
    prepared.dataSource === dataSource &&
    record.status === status
  );
}

function unknownSource(): AppError {
  return new AppError(
    "POLICY_DENIED",
    "policies of the organization depend on tables and columns, and it is not known any more which ones " +
      "the remembered statement touched: run the statement again",
  );
}
