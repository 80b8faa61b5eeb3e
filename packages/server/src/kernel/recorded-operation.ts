import type { Caller } from "@steward/kernel/caller.js";
import type { AuditDetail, AuditFact } from "./audit-fact.js";

/** What the code of an operation knows of its effect, beside who asked for what. */
export interface ToldEffect {
  /** The id of what was changed. */
  readonly subject?: string;
  /** For everybody who may read the audit log: no secret, and nothing that belongs to a person. */
  readonly detail?: AuditDetail;
}

/**
 * An operation while it runs, and the fact that its record is made of. Whoever writes for the operation
 * hands it to the store, which commits the fact together with the first of these writes, so that neither is
 * durable without the other. A write that is not handed the operation cannot commit its fact.
 */
export class RecordedOperation {
  readonly #fact: AuditFact;
  #effect: Required<ToldEffect>;
  #state: "due" | "beingWritten" | "written" = "due";

  constructor(fact: AuditFact) {
    this.#fact = fact;
    this.#effect = { subject: fact.subject, detail: fact.detail };
  }

  /** Whether the fact is durable. */
  get isWritten(): boolean {
    return this.#state === "written";
  }

  get fact(): AuditFact {
    return { ...this.#fact, ...this.#effect };
  }

  tell({ subject = this.#effect.subject, detail = {} }: ToldEffect): void {
    this.#effect = { subject, detail: { ...this.#effect.detail, ...detail } };
  }

  /**
   * Runs a write. When the fact is due, the write gets it, and has to commit it in the same
   * transaction and to report that it did so. After a write that failed or changed nothing, the fact
   * is due again.
   */
  async write<T>(write: (due: DueFact | undefined) => Promise<T>): Promise<T> {
    if (this.#state !== "due") return write(undefined);
    this.#state = "beingWritten";
    const due: DueFact = { fact: this.fact, isCommitted: false };
    try {
      return await write(due);
    } finally {
      this.#state = due.isCommitted ? "written" : "due";
    }
  }
}

/** A caller, with the operation that runs for it when that leaves a record. */
export interface OperationCaller extends Caller {
  readonly operation?: RecordedOperation | undefined;
}

/** A fact that has to be committed with a write. */
export interface DueFact {
  readonly fact: AuditFact;
  /** To be set when both are durable. */
  isCommitted: boolean;
}
