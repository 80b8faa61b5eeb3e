import type { Caller } from "@steward/kernel/caller.js";
import type { Log } from "@steward/kernel/log.js";
import type { PreparedStep } from "../plan.js";
import type { SchemaJournal, SchemaStep, SqlTarget, StepRef, StepTarget } from "../ports.js";

/** A running step with its author. */
export interface AttributedStep {
  readonly ref: StepRef;
  readonly step: PreparedStep;
  readonly sessionId: string;
  /** Absent for a step whose process died. */
  readonly caller?: Caller;
}

/**
 * Records a commit for every step that changes a schema (Decision §15). When the history cannot be
 * written now, the step runs anyway: the missing change then counts as drift and is recorded before
 * the next change.
 */
export class SchemaSteps {
  readonly #journal: SchemaJournal;
  readonly #log: Log;

  constructor(journal: SchemaJournal, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Called before the statement. */
  before(step: AttributedStep): Promise<void> {
    return this.#tell(step, (told) => this.#journal.before(told));
  }

  /** Called after the statement has taken effect and before its end is reported. */
  after(step: AttributedStep): Promise<void> {
    return this.#tell(step, (told) => this.#journal.after(told));
  }

  async #tell(
    attributed: AttributedStep,
    tell: (step: SchemaStep) => Promise<void>,
  ): Promise<void> {
    const { ref, step } = attributed;
    try {
      await tell({ ref, dataSource: step.dataSource, author: authorOf(attributed) });
    } catch (error) {
      const { planId, stepId } = ref;
      this.#log.warn(
        { err: error, planId, stepId },
        "the history of a schema cannot be recorded now",
      );
    }
  }
}

/** Whether the steps of a schema's history are told of a step. Others skip the cost of reading a schema. */
export function mayChangeSchema(target: StepTarget, { statementClass }: PreparedStep): boolean {
  return statementClass === "admin" && isSqlTarget(target);
}

function isSqlTarget(target: StepTarget): target is SqlTarget {
  return "dialect" in target;
}

function authorOf({ ref, sessionId, caller }: AttributedStep): string {
  const session = caller?.sessionId ?? (sessionId === "" ? undefined : sessionId);
  return caller?.userId ?? caller?.agentId ?? session ?? `organization ${ref.orgId}`;
}
