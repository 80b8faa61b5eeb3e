import { AUDIT_BATCH_MAX } from "../../../audit/limits.js";
import type {
  AppendableBatch,
  AuditFact,
  AuditSequence,
  PreparedBatch,
} from "../../../audit/ports.js";
import type { CommitWriter } from "../commit-writer.js";
import type { DerivationThread } from "../../derivation/derivation-thread.js";
import type { DerivationCalls } from "../derivation/derivation-calls.js";
import { outboxWrite } from "./outbox-write.js";

/** Appends facts to the tree of a SQLite store. A thread makes and writes the records and tiles. */
export class SqliteAuditSequence implements AuditSequence {
  readonly batchMax: number = AUDIT_BATCH_MAX;
  readonly #writer: CommitWriter;
  readonly #thread: DerivationThread<DerivationCalls>;

  constructor(writer: CommitWriter, thread: DerivationThread<DerivationCalls>) {
    this.#writer = writer;
    this.#thread = thread;
  }

  prepare(first: readonly AuditFact[], limit: number): Promise<PreparedBatch> {
    return this.#thread.call("prepareRecords", { first, limit });
  }

  append({ number }: AppendableBatch, checkpoint: string): Promise<boolean> {
    return this.#thread.call("appendRecords", { number, checkpoint });
  }

  async add(facts: readonly AuditFact[]): Promise<void> {
    if (facts.length > 0) await this.#writer.commit(facts.map(outboxWrite));
  }
}
