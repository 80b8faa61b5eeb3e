import { randomBytes } from "node:crypto";
import type {
  AppendableBatch,
  AuditBatch,
  AuditFact,
  FactSource,
  PreparedBatch,
  TreeAddition,
} from "./ports.js";
import { auditRecordOf, type NewAuditRecord } from "./record.js";
import { leafHash, TreeEdge } from "./tree/index.js";
import { unreadableFact, UNREADABLE_KIND } from "./unreadable.js";

/** Batches that wait for their checkpoint; an older one is from a caller that has failed. */
const PREPARED_MAX = 4;

/** A batch that waits for its checkpoint. */
interface Prepared {
  readonly batch: AuditBatch;
  readonly edge: TreeEdge;
  readonly addition: Omit<TreeAddition, "checkpoint">;
}

/**
 * Makes records of facts and appends their leaves to the tree, one batch at a time. It belongs to the
 * store, so that an engine may run it in a thread of its own.
 */
export class TreeAppender {
  readonly #source: FactSource;
  /** The edge of the tree; absent while it is unknown where the tree ends. */
  #edge: TreeEdge | undefined;
  readonly #prepared = new Map<number, Prepared>();
  #numbers = 0;

  constructor(source: FactSource) {
    this.#source = source;
  }

  /**
   * See {@link AuditSequence.prepare}.
   * @param batch the next facts of the store.
   */
  async prepare(first: readonly AuditFact[], batch: AuditBatch): Promise<PreparedBatch> {
    const edge = this.#edge ?? (await this.#readEdge());
    const records = recordsOf([...first, ...batch.facts]);
    const from = edge.size;
    this.#edge = records.length === 0 ? edge : undefined;
    const tiles = edge.append(records.map(({ entry }) => leafHash(Buffer.from(entry))));
    const number = (this.#numbers += 1);
    this.#prepared.set(number, { batch, edge, addition: { from, records, tiles } });
    this.#prepared.delete(number - PREPARED_MAX);
    const unreadable = records.filter(({ kind }) => kind === UNREADABLE_KIND);
    return {
      ...{ number, from, size: edge.size, root: edge.root(), isCut: batch.isCut },
      unreadable: unreadable.map(({ orgId, subject }) => ({ orgId, subject })),
    };
  }

  /** See {@link AuditSequence.append}. */
  async append({ number }: AppendableBatch, checkpoint: string): Promise<boolean> {
    const prepared = this.#prepared.get(number);
    if (prepared === undefined) return false;
    this.#prepared.delete(number);
    const { batch, edge, addition } = prepared;
    const isAppended = await this.#source.append(batch, { ...addition, checkpoint });
    if (isAppended) this.#edge = edge;
    return isAppended;
  }

  async #readEdge(): Promise<TreeEdge> {
    const { size, partials } = await this.#source.head();
    return new TreeEdge(size, partials);
  }
}

function recordsOf(facts: readonly AuditFact[]): readonly NewAuditRecord[] {
  const salts = randomBytes(facts.length * SALT_BYTES);
  return facts.map((fact, index) => {
    const salt = salts.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES);
    return recordOf(fact, salt.toString("base64url"));
  });
}

function recordOf(fact: AuditFact, salt: string): NewAuditRecord {
  try {
    return auditRecordOf(fact, salt);
  } catch {
    const { orgId, subject } = fact;
    const row = JSON.stringify(fact);
    return auditRecordOf(unreadableFact({ orgId, subject, source: "outbox", row }), salt);
  }
}

const SALT_BYTES = 16;
