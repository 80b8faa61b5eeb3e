import {
  consistencyProof,
  HASH_BYTES,
  isConsistent,
  parseCheckpoint,
  parseNote,
  readTiles,
  type Checkpoint,
} from "./tree/index.js";
import type { AuditArchive } from "./ports.js";

/**
 * The newest state of each log that this server has seen. They are kept where a backup of the store does not
 * reach, so that a store that was rolled back is noticed. A log is named by {@link logIdOf}.
 */
export interface SeenCheckpoints {
  /** Where it is kept, for messages. */
  placeOf(logId: string): string;

  /** `undefined` when there is none, or none that can be read. */
  read(logId: string): Promise<Checkpoint | undefined>;

  /** Replaces the one before. */
  write(logId: string, checkpoint: Checkpoint): Promise<void>;
}

/** The log in a store. */
export type StoredTree = Pick<AuditArchive, "checkpoint" | "tiles">;

/**
 * The hash of a log's first record, in hexadecimal. Unlike its name, it tells a log from that of another store.
 * @returns `undefined` for a log without records.
 */
export async function logIdOf(archive: StoredTree): Promise<string | undefined> {
  const [tile] = await archive.tiles([{ level: 0, index: 0, width: 1 }]);
  const hash = tile?.subarray(0, HASH_BYTES);
  return hash?.length === HASH_BYTES ? hash.toString("hex") : undefined;
}

/**
 * What is wrong when the log in a store does not continue what was seen of it, and how to go on.
 * @param place where the seen checkpoint is kept.
 * @returns `undefined` when the log continues it.
 */
export async function rollbackOf(
  seen: Checkpoint,
  archive: StoredTree,
  place: string,
): Promise<string | undefined> {
  const { size, note } = await archive.checkpoint();
  if (size < seen.size) {
    const lost = `The audit log in this store has ${count(size)}, but this server has seen ${String(seen.size)} of it`;
    return `${lost} (${place}). ${whatToDo(place)}`;
  }
  if (seen.size === 0) return undefined;
  const newer = parseCheckpoint(parseNote(note).text);
  const proof = await consistencyProof(seen.size, newer.size, readTiles(archive));
  if (isConsistent({ older: seen, newer }, proof)) return undefined;
  const other = `The first ${count(seen.size)} of the audit log in this store are not those that this server has seen`;
  return `${other} (${place}). ${whatToDo(place)}`;
}

function count(records: number): string {
  return records === 1 ? "1 record" : `${String(records)} records`;
}

function whatToDo(place: string): string {
  return (
    "So the store was rolled back, as by a restored backup. What was recorded and done since is " +
    "missing from it. Exports and checkpoints of the missing records will not verify against this log, and witnesses " +
    "will not cosign it. If there is a newer store, put it back. To go on with this one, give the log another name " +
    "(SERVICE_AUDIT_NAME), so that nobody takes it for the old log, and export it to a new directory. If nobody holds " +
    `an export, a checkpoint or a cosignature, deleting ${place} is enough`
  );
}
