import type {
  AppendableBatch,
  AuditFact,
  AuditSequence,
  PreparedBatch,
} from "../../../audit/ports.js";
import type { PlanRef } from "../../../plans/ports.js";
import type { DerivationThread } from "../../derivation/derivation-thread.js";
import type { Database } from "../database.js";
import type { DerivationCalls } from "../derivation/derivation-calls.js";
import type { UnreadPlans } from "../tool-calls/unread-plans.js";
import { PACKED_FACTS_MAX } from "./limits.js";
import { addFacts } from "./outbox.js";

/** Maximum number of plans whose changes one batch reads. */
const PLANS_MAX = 256;

/**
 * Appends facts to the tree of a PostgreSQL store. A thread makes and writes the records and tiles. A node
 * appends the changes of the plans that it has written, and of dead nodes.
 */
export class PostgresAuditSequence implements AuditSequence {
  readonly batchMax: number = PACKED_FACTS_MAX;
  readonly #db: Database;
  readonly #thread: DerivationThread<DerivationCalls>;
  readonly #unread: UnreadPlans;
  /** The plans of batches that were not appended, by the number of the batch. */
  readonly #taken = new Map<number, readonly PlanRef[]>();

  constructor(db: Database, thread: DerivationThread<DerivationCalls>, unread: UnreadPlans) {
    this.#db = db;
    this.#thread = thread;
    this.#unread = unread;
  }

  async prepare(first: readonly AuditFact[], limit: number): Promise<PreparedBatch> {
    for (const number of [...this.#taken.keys()]) this.#release(number);
    await this.#unread.begin();
    const plans = this.#unread.takeAny(PLANS_MAX);
    try {
      const input = { first, limit, plans };
      const { batch, left } = await this.#thread.call("prepareRecords", input);
      for (const ref of left) this.#unread.add(ref);
      this.#taken.set(batch.number, plans);
      return { ...batch, isCut: batch.isCut || plans.length === PLANS_MAX };
    } catch (error) {
      for (const ref of plans) this.#unread.add(ref);
      throw error;
    }
  }

  async append({ number }: AppendableBatch, checkpoint: string): Promise<boolean> {
    const isAppended = await this.#thread.call("appendRecords", { number, checkpoint });
    if (isAppended) this.#taken.delete(number);
    else this.#release(number);
    return isAppended;
  }

  async add(facts: readonly AuditFact[]): Promise<void> {
    if (facts.length > 0) await this.#db.transaction((on) => addFacts(on, facts));
  }

  #release(number: number): void {
    for (const ref of this.#taken.get(number) ?? []) this.#unread.add(ref);
    this.#taken.delete(number);
  }
}
