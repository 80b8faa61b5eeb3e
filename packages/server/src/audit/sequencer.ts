import type { Clock } from "@steward/kernel/clock.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import { AUDIT_POLL_MS } from "./limits.js";
import type { AuditArchive, AuditFact, AuditSequence } from "./ports.js";
import type { CheckpointSigner } from "./signer.js";
import { logIdOf, rollbackOf, type SeenCheckpoints } from "./seen-checkpoint.js";
import {
  type Checkpoint,
  parseCheckpoint,
  parseNote,
  signersOf,
  type VerifierKey,
} from "./tree/index.js";

/** Dependencies of a sequencer. */
export interface AuditSequencerParts {
  readonly sequence: AuditSequence;
  readonly archive: Pick<AuditArchive, "list" | "checkpoint" | "tiles">;
  readonly signer: CheckpointSigner;
  /** The key that the signer's key replaces; absent: the log keeps its key. */
  readonly replacedKey?: VerifierKey;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: only what was seen since the start is known. */
  readonly seen?: SeenCheckpoints;
  /** Stores facts that wait in memory; it runs before each batch. */
  readonly collect?: () => Promise<void>;
}

/**
 * Gives facts their places in the tree: the store makes the records of a batch and the tree with
 * them, and the sequencer signs its checkpoint. Both are appended in one transaction, so that a crash leaves neither a
 * gap nor a duplicate. One node appends at a time; a node that loses the race takes its batch
 * again.
 */
export class AuditSequencer implements AsyncDisposable {
  readonly #parts: AuditSequencerParts;
  readonly #loop: WorkerLoop;
  /** The size of the log that this server has checked or written; absent before, and after a failed append. */
  #size: number | undefined;
  /** The newest state of the log that this server has seen. */
  #seen: Checkpoint | undefined;
  #logId: string | undefined;
  #lane: Promise<unknown> = Promise.resolve();

  constructor(parts: AuditSequencerParts) {
    this.#parts = parts;
    this.#loop = new WorkerLoop({
      name: "appending to the audit log",
      work: () => this.#inTurn(() => this.#batch()),
      pollMs: AUDIT_POLL_MS,
      // After the log was checked, see `begin`.
      begin: "later",
      end: "drain",
      log: parts.log,
    });
  }

  /**
   * Makes sure that the log is signed with this server's key and continues what the server has seen of it, before the server takes requests. An
   * empty log takes the key of the first server that appends. What is waiting is appended afterwards.
   * A store that cannot be written now is asked again later.
   * @throws AppError `INVALID_ARGUMENT` when the log has another key, or was rolled back.
   */
  async begin(): Promise<void> {
    try {
      while ((await this.#inTurn(() => this.#checked())) === "more" && this.#size === undefined);
    } catch (error) {
      if (AppError.from(error).code !== "STORE_UNAVAILABLE") throw error;
    }
    this.#loop.wake();
  }

  /**
   * Appends all facts that were committed before the call.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  async flush(): Promise<void> {
    while ((await this.#inTurn(() => this.#batch())) === "more");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  #inTurn(work: () => Promise<BatchEnd>): Promise<BatchEnd> {
    const turn = this.#lane.then(work);
    this.#lane = turn.catch(() => undefined);
    return turn;
  }

  /** Checks the log. Only a new key is appended at once. */
  async #checked(): Promise<BatchEnd> {
    if (this.#size !== undefined) return "idle";
    const { size, first } = await this.#begin();
    if (first.length > 0) return this.#batch();
    this.#size = size;
    return "idle";
  }

  async #batch(): Promise<BatchEnd> {
    const { sequence, signer, collect, log } = this.#parts;
    await collect?.();
    const { size: checked, first } =
      this.#size === undefined ? await this.#begin() : { size: this.#size, first: [] };
    const batch = await sequence.prepare(first, sequence.batchMax);
    const { from, size, root, isCut, unreadable } = batch;
    // Another node may have appended since, and with another key.
    this.#size = from === checked && from === size ? size : undefined;
    if (from !== checked) return "more";
    if (from === size) return "idle";
    for (const { orgId, subject } of unreadable) {
      const told = "a fact could not be read; the audit log has a record in its place that says so";
      log.error({ orgId, subject }, told);
    }
    const checkpoint = { size, root: Buffer.from(root) };
    if (!(await sequence.append(batch, signer.signedNote(checkpoint)))) return "more";
    this.#size = size;
    await this.#see({ origin: signer.origin, ...checkpoint });
    return isCut ? "more" : "idle";
  }

  /** Checks the log that is to be continued. @returns its size, and the fact that names the key, if the key is a new one. */
  async #begin(): Promise<{ readonly size: number; readonly first: readonly AuditFact[] }> {
    const { archive, signer, clock } = this.#parts;
    const { size, note } = await archive.checkpoint();
    assertKeyOfLog(note, signer, this.#parts.replacedKey);
    await this.#assertContinued(note);
    const named = { orgId: NIL_ORG_ID, kind: "audit.key_used", subject: signer.key.keyId };
    const { records } = await archive.list(named, { limit: 1, bytesMax: 1 });
    if (records.length > 0) return { size, first: [] };
    const detail = { verifier_key: signer.keyText };
    return { size, first: [{ ...named, atMs: clock.nowMs(), detail }] };
  }

  /** A log that goes on after records were lost would be a second log under the same name. */
  async #assertContinued(note: string): Promise<void> {
    const { archive, signer, seen } = this.#parts;
    this.#logId = await logIdOf(archive);
    const logId = this.#logId ?? "";
    const known = this.#seen ?? (await seen?.read(logId));
    if (known !== undefined && known.origin === signer.origin) {
      const rollback = await rollbackOf(known, archive, seen?.placeOf(logId) ?? "");
      if (rollback !== undefined) throw new AppError("INVALID_ARGUMENT", rollback);
    }
    if (note === "") return;
    await this.#see({ ...parseCheckpoint(parseNote(note).text), origin: signer.origin });
  }

  async #see(checkpoint: Checkpoint): Promise<void> {
    const { archive, log, seen } = this.#parts;
    this.#seen = checkpoint;
    try {
      this.#logId ??= await logIdOf(archive);
      if (this.#logId !== undefined) await seen?.write(this.#logId, checkpoint);
    } catch (error) {
      const told =
        "the newest checkpoint could not be kept: a store that is rolled back may go unnoticed";
      log.warn({ err: error }, told);
    }
  }
}

/**
 * Of two servers with different keys, each would sign what the other one cannot have signed.
 * @param note of the log's checkpoint; empty when the log is.
 * @throws AppError `INVALID_ARGUMENT` when another key, and not the replaced one, signs the log.
 */
export function assertKeyOfLog(
  note: string,
  signer: CheckpointSigner,
  replacedKey: VerifierKey | undefined,
): void {
  if (note === "" || signer.hasSigned(note)) return;
  if (replacedKey !== undefined && signersOf(parseNote(note), [replacedKey]).length > 0) return;
  throw otherKey(signer.keyText);
}

function otherKey(own: string): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    `The audit log in this store is signed with another key than this server's, ${own}. All servers that share a ` +
      "store need the same key: copy the file audit.key of the server that signs it over a safe way, such as a " +
      "secret of your platform, and name the copy in SERVICE_AUDIT_KEY_FILE. To replace the key instead, give every " +
      "server the new file and set SERVICE_AUDIT_REPLACED_KEY to the old public key, which `steward audit key` prints",
  );
}
