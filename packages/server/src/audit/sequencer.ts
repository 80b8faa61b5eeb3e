import { randomBytes } from "node:crypto";
import type { Clock } from "@steward/kernel/clock.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import { AUDIT_BATCH_MAX, AUDIT_POLL_MS } from "./limits.js";
import type { AuditArchive, AuditFact, AuditSequence, TreeAddition } from "./ports.js";
import { auditRecordOf, type NewAuditRecord } from "./record.js";
import type { CheckpointSigner } from "./signer.js";
import { unreadableFact, UNREADABLE_KIND } from "./unreadable.js";
import { leafHash, parseNote, signersOf, TreeEdge, type VerifierKey } from "./tree/index.js";

/** Dependencies of a sequencer. */
export interface AuditSequencerParts {
  readonly sequence: AuditSequence;
  readonly archive: Pick<AuditArchive, "list" | "checkpoint">;
  readonly signer: CheckpointSigner;
  /** The key that the signer's key replaces; absent: the log keeps its key. */
  readonly replacedKey?: VerifierKey;
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
   * Makes sure that the log is signed with this server's key, before the server takes requests. An
   * empty log takes the key of the first server that appends.
   * A store that cannot be written now is asked again later.
   * @throws AppError `INVALID_ARGUMENT` when the log has another key.
   */
  async begin(): Promise<void> {
    try {
      while ((await this.#inTurn()) === "more" && this.#edge === undefined);
    } catch (error) {
      if (AppError.from(error).code !== "STORE_UNAVAILABLE") throw error;
    }
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
    const facts = [...first, ...batch.facts];
    const records = recordsOf(facts);
    for (const { kind, orgId, subject } of records) {
      if (kind !== UNREADABLE_KIND) continue;
      const told = "a fact could not be read; the audit log has a record in its place that says so";
      this.#parts.log.error({ orgId, subject }, told);
    }
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
    this.#assertOwnKey((await archive.checkpoint()).note);
    const { size, partials } = await sequence.head();
    this.#edge = new TreeEdge(size, partials);
    const named = { orgId: NIL_ORG_ID, kind: "audit.key_used", subject: signer.key.keyId };
    if ((await archive.list(named, 1)).length > 0) return [];
    return [{ ...named, atMs: clock.nowMs(), detail: { verifier_key: signer.keyText } }];
  }

  /** Of two servers with different keys, each would sign what the other one cannot have signed. */
  #assertOwnKey(note: string): void {
    const { signer, replacedKey } = this.#parts;
    if (note === "" || signer.hasSigned(note)) return;
    if (replacedKey !== undefined && signersOf(parseNote(note), [replacedKey]).length > 0) return;
    throw otherKey(signer.keyText);
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

function otherKey(own: string): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    `The audit log in this store is signed with another key than this server's, ${own}. All servers that share a ` +
      "store need the same key: copy the file audit.key of the server that signs it over a safe way, such as a " +
      "secret of your platform, and name the copy in SERVICE_AUDIT_KEY_FILE. To replace the key instead, give every " +
      "server the new file and set SERVICE_AUDIT_REPLACED_KEY to the old public key, which `steward audit key` prints",
  );
}
