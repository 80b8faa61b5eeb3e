import { WorkerLoop, type BatchEnd } from "@steward/kernel/concurrency/worker-loop.js";
import type { Log } from "@steward/kernel/log.js";
import type { AuditArchive } from "../ports.js";
import { consistencyProof, parseNote, readTiles, verifierKeyText } from "../tree/index.js";
import { addCheckpointBody, cosignOutcome, type CosignOutcome } from "./add-checkpoint.js";
import { WITNESS_POLL_MS, WITNESS_TIMEOUT_MS } from "./limits.js";
import type { CosignatureStore, Witness, WitnessClient } from "./ports.js";

/** Dependencies of the witnesses' loops. */
export interface CheckpointWitnessesParts {
  readonly witnesses: readonly Witness[];
  readonly archive: Pick<AuditArchive, "checkpoint" | "tiles">;
  readonly cosignatures: CosignatureStore;
  readonly client: WitnessClient;
  readonly log: Log;
  /** Pause between two looks for a new checkpoint, in ms; absent: the usual one. */
  readonly pollMs?: number;
}

/**
 * Asks witnesses to cosign checkpoints (C2SP tlog-witness). Each witness has a loop of its own, so
 * that a slow one delays no other, and gets only the newest checkpoint. The answers wait for nothing
 * and nothing waits for them: a witness that is away delays no record. Several servers may ask
 * at once, because a witness takes each size once.
 */
export class CheckpointWitnesses implements AsyncDisposable {
  readonly #parts: CheckpointWitnessesParts;
  readonly #loops: readonly WorkerLoop[];

  constructor(parts: CheckpointWitnessesParts) {
    this.#parts = parts;
    this.#loops = parts.witnesses.map(
      (witness) =>
        new WorkerLoop({
          name: `cosignatures of the witness ${witness.key.name}`,
          work: (signal) => this.#ask(witness, signal),
          pollMs: parts.pollMs ?? WITNESS_POLL_MS,
          begin: "now",
          end: "abandon",
          log: parts.log,
        }),
    );
  }

  /** How many records the newest checkpoint of the slowest witness does not cover. @param size the number of records in the log. */
  async uncovered(size: number): Promise<number> {
    const cosigned = await this.#parts.cosignatures.list();
    const sizes = this.#parts.witnesses.map(({ key }) => {
      const name = verifierKeyText(key);
      return cosigned.find(({ witness }) => witness === name)?.size ?? 0;
    });
    return Math.max(0, ...sizes.map((covered) => size - covered));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop[Symbol.asyncDispose]()));
  }

  async #ask(witness: Witness, signal: AbortSignal): Promise<BatchEnd> {
    const { archive, cosignatures } = this.#parts;
    const name = verifierKeyText(witness.key);
    const covered = (await cosignatures.list()).find((each) => each.witness === name)?.size ?? 0;
    let oldSize = covered;
    // The second request is for a witness that has another size than is stored here.
    for (const isLast of [false, true]) {
      const { size, note } = await archive.checkpoint();
      if (size === 0 || size === covered) return "idle";
      if (oldSize > size) throw new Error(cutOff(oldSize, size));
      const proof = await consistencyProof(oldSize, size, readTiles(archive));
      const outcome = await this.#post(witness, { oldSize, proof, note }, signal);
      if (outcome.kind === "cosigned") {
        await cosignatures.put({ witness: name, size, note: outcome.note });
        return "idle";
      }
      if (isLast) throw new Error("the witness has changed its size while it was asked");
      oldSize = outcome.size;
    }
    return "idle";
  }

  async #post(
    { url, key }: Witness,
    asked: { readonly oldSize: number; readonly proof: readonly Buffer[]; readonly note: string },
    signal: AbortSignal,
  ): Promise<CosignOutcome> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(WITNESS_TIMEOUT_MS)]);
    const body = addCheckpointBody(asked);
    const answer = await this.#parts.client.post(`${url}/add-checkpoint`, body, limit);
    return cosignOutcome(answer, asked.note, key);
  }
}

function cutOff(known: number, size: number): string {
  return (
    `the witness has cosigned ${String(known)} records, and this log has only ${String(size)}: records were removed, ` +
    "such as by restoring a backup; a restored log needs another name (SERVICE_AUDIT_NAME)"
  );
}

/** A checkpoint with the cosignatures that there are of the same one. */
export function withCosignatures(note: string, cosigned: readonly string[]): string {
  if (note === "") return note;
  const { text } = parseNote(note);
  const own = new Set(note.slice(text.length + 1).split("\n"));
  const lines = cosigned
    .filter((other) => other.startsWith(`${text}\n`))
    .flatMap((other) => other.slice(text.length + 1).split("\n"))
    .filter((line) => line !== "" && !own.has(line));
  return note + lines.map((line) => `${line}\n`).join("");
}
