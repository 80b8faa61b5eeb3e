import { randomBytes } from "node:crypto";
import type { Clock } from "@steward/kernel/clock.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { Log } from "@steward/kernel/log.js";
import { AUDIT_BATCH_MAX, AUDIT_POLL_MS } from "./limits.js";
import type { AuditArchive, AuditFact, AuditSequence, TreeAddition } from "./ports.js";
import { auditRecordOf, type NewAuditRecord } from "./record.js";
import type { CheckpointSigner } from "./signer.js";
import { leafHash, TreeEdge } from "./tree/index.js";

/** Dependencies of a sequencer. */
export interface AuditSequencerParts {
  readonly sequence: AuditSequence;
  readonly archive: Pick<AuditArchive, "list">;
  readonly signer: CheckpointSigner;
  readonly clock: Clock;
  readonly log: Log;
  /** Stores facts that wait in memory; it runs before each batch. */
  readonly collect?: () => Promise<void>;
}

/**
 * Gives facts their places in the tree: it takes a batch, makes its records, appends their leaves
 * and signs the new checkpoint. All of this is one transaction, so that a crash leaves neither a
 * gap nor a duplicate. One node appends at a time; a node that loses the race takes its batch
 * again.
 */
export class AuditSequencer implements AsyncDisposable {
  readonly #parts: AuditSequencerParts;
  readonly #loop: WorkerLoop;
  #edge: TreeEdge | undefined;
  #lane: Promise<unknown> = Promise.resolve();

  constructor(parts: AuditSequencerParts) {
    this.#parts = parts;
    this.#loop = new WorkerLoop({
      name: "appending to the audit log",
      work: () => this.#inTurn(),
      pollMs: AUDIT_POLL_MS,
      begin: "now",
      end: "drain",
      log: parts.log,
    });
  }

  /**
   * Appends all facts that were committed before the call.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  async flush(): Promise<void> {
    while ((await this.#inTurn()) === "more");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  #inTurn(): Promise<BatchEnd> {
    const turn = this.#lane.then(() => this.#batch());
    this.#lane = turn.catch(() => undefined);
    return turn;
  }

  async #batch(): Promise<BatchEnd> {
    const { sequence, collect } = this.#parts;
    await collect?.();
    const batch = await sequence.take(AUDIT_BATCH_MAX);
    if (batch.facts.length === 0 && this.#edge !== undefined) return "idle";
    const first = this.#edge === undefined ? await this.#begin() : [];
    const edge = this.#edge;
    if (edge === undefined || (batch.facts.length === 0 && first.length === 0)) return "idle";
    const from = edge.size;
    const records = recordsOf([...first, ...batch.facts]);
    // Until the store has accepted the batch, it is unknown where the tree ends.
    this.#edge = undefined;
    const isAppended = await sequence.append(batch, this.#addition(edge, from, records));
    if (!isAppended) return "more";
    this.#edge = edge;
    return batch.isCut ? "more" : "idle";
  }

  /** Reads the edge of the tree. @returns the fact that names the key, if the key is a new one. */
  async #begin(): Promise<readonly AuditFact[]> {
    const { sequence, archive, signer, clock } = this.#parts;
    const { size, partials } = await sequence.head();
    this.#edge = new TreeEdge(size, partials);
    const named = { orgId: NIL_ORG_ID, kind: "audit.key_used", subject: signer.key.keyId };
    if ((await archive.list(named, 1)).length > 0) return [];
    return [{ ...named, atMs: clock.nowMs(), detail: { verifier_key: signer.keyText } }];
  }

  #addition(edge: TreeEdge, from: number, records: readonly NewAuditRecord[]): TreeAddition {
    const tiles = edge.append(records.map(({ entry }) => leafHash(Buffer.from(entry))));
    const checkpoint = this.#parts.signer.signedNote({ size: edge.size, root: edge.root() });
    return { from, records, tiles, checkpoint };
  }
}

function recordsOf(facts: readonly AuditFact[]): readonly NewAuditRecord[] {
  const salts = randomBytes(facts.length * SALT_BYTES);
  return facts.map((fact, index) => {
    const salt = salts.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES);
    return auditRecordOf(fact, salt.toString("base64url"));
  });
}

const SALT_BYTES = 16;
