import { AsyncLocalStorage } from "node:async_hooks";
import type { AuditDetail, AuditFact } from "./audit-fact.js";

/** What the code of an operation knows of its effect, beside who asked for what. */
export interface ToldEffect {
  /** The id of what was changed. */
  readonly subject?: string;
  /** For everybody who may read the audit log: no secret, and nothing that belongs to a person. */
  readonly detail?: AuditDetail;
}

/**
 * An operation while it runs, and the fact that its record is made of. The store commits the fact
 * together with the first write of the operation, so that neither is durable without the other.
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

/** A fact that has to be committed with a write. */
export interface DueFact {
  readonly fact: AuditFact;
  /** To be set when both are durable. */
  isCommitted: boolean;
}

const running = new AsyncLocalStorage<RecordedOperation>();
let count = 0;

/** Runs the code of an operation. Stores and {@link tellEffect} find the operation through it. */
export async function runRecorded<T>(
  operation: RecordedOperation,
  work: () => Promise<T>,
): Promise<T> {
  count += 1;
  try {
    return await running.run(operation, work);
  } finally {
    count -= 1;
    // Node would go on to track every promise of the process, which costs the steps of plans time.
    if (count === 0) running.disable();
  }
}

/** Adds to the record of the operation that runs; without one, as in a background task, does nothing. */
export function tellEffect(effect: ToldEffect): void {
  running.getStore()?.tell(effect);
}

/** The operation whose code calls this; for stores. */
export function recordedOperation(): RecordedOperation | undefined {
  return running.getStore();
}
