import type { Caller } from "@steward/kernel/caller.js";
import type { Log } from "@steward/kernel/log.js";
import type { PreparedStep } from "../plan.js";
import type { SchemaJournal, SchemaStep, SqlTarget, StepRef, StepTarget } from "../ports.js";

/** A step that runs, and who it is attributed to. */
export interface AttributedStep {
  readonly ref: StepRef;
  readonly step: PreparedStep;
  readonly sessionId: string;
  /** Unknown of a step whose process died. */
  readonly caller?: Caller;
}

/**
 * Has every step that changes a schema leave a commit (Decision §15). A history that cannot be kept now
 * stops no step: what is missing is drift, and recorded before the next change.
 */
export class SchemaSteps {
  readonly #journal: SchemaJournal;
  readonly #log: Log;

  constructor(journal: SchemaJournal, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Comes before the statement. */
  before(target: StepTarget, step: AttributedStep): Promise<void> {
    return this.#tell(target, step, (told) => this.#journal.before(told));
  }

  /** Comes after the statement has taken effect and before that is known to anybody. */
  after(target: StepTarget, step: AttributedStep): Promise<void> {
    return this.#tell(target, step, (told) => this.#journal.after(told));
  }

  async #tell(
    target: StepTarget,
    attributed: AttributedStep,
    tell: (step: SchemaStep) => Promise<void>,
  ): Promise<void> {
    const { ref, step } = attributed;
    if (!mayChangeSchema(target, step)) return;
    try {
      await tell({ ref, dataSource: step.dataSource, author: authorOf(attributed) });
    } catch (error) {
      const { planId, stepId } = ref;
      this.#log.warn({ err: error, planId, stepId }, "the history of a schema cannot be kept now");
    }
  }
}

/** Only these pay for reading a schema. */
function mayChangeSchema(target: StepTarget, { statementClass }: PreparedStep): boolean {
  return statementClass === "admin" && isSqlTarget(target);
}

function isSqlTarget(target: StepTarget): target is SqlTarget {
  return "dialect" in target;
}

function authorOf({ ref, sessionId, caller }: AttributedStep): string {
  const session = caller?.sessionId ?? (sessionId === "" ? undefined : sessionId);
  return caller?.userId ?? caller?.agentId ?? session ?? `organization ${ref.orgId}`;
}
