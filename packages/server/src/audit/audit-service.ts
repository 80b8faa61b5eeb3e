import type { Caller } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { AUDIT_PAGE_BYTES_MAX, AUDIT_PAGE_MAX } from "./limits.js";
import type { AuditArchive, AuditFilter, AuditRecord, ErrorVisibility } from "./ports.js";
import type { AuditSequencer } from "./sequencer.js";
import { shownRecord } from "./shown-record.js";
import {
  consistencyProof,
  cosignedAt,
  entryBundle,
  HASH_BYTES,
  inclusionProof,
  parseCheckpoint,
  parseNote,
  readTiles,
  TILE_WIDTH,
  tileNamed,
  tileWidth,
  verifierKeyText,
  type VerifierKey,
} from "./tree/index.js";
import {
  withCosignatures,
  type CosignatureStore,
  type CosignedCheckpoint,
} from "./witnesses/index.js";

/** Dependencies of the service; without a store there is no audit log. */
export interface AuditServiceParts {
  readonly archive: AuditArchive;
  /** Appends the waiting facts, so that a reader finds everything that happened before its request. */
  readonly sequencer: Pick<AuditSequencer, "flush">;
  /** The witnesses that the operator trusts. */
  readonly witnesses: readonly VerifierKey[];
  readonly cosignatures: Pick<CosignatureStore, "list">;
  /** Which errors of steps the caller of one request may have. */
  readonly visibleErrors: (caller: AuditReader) => ErrorVisibility;
}

/** A caller who reads records, until the signal ends the request. */
export interface AuditReader extends Caller {
  readonly signal: AbortSignal;
}

/** A witness of the log, and the newest checkpoint that it has cosigned. */
export interface WitnessState {
  readonly key: VerifierKey;
  /** Absent: it has cosigned none. */
  readonly cosigned?: CosignedCheckpoint & {
    /** When the witness has cosigned it, by its own clock; in seconds since the epoch. */
    readonly atSeconds: number;
  };
}

/** A record with the proof that the tree of a checkpoint contains it. */
export interface ProvenRecord {
  readonly record: AuditRecord;
  /** The signed note of the checkpoint. */
  readonly checkpoint: string;
  /** RFC 6962 §2.1.1. */
  readonly proof: readonly Buffer[];
}

/** Reads of the audit log. A caller sees the records of its own organization. */
export class AuditService {
  readonly #parts: AuditServiceParts | undefined;

  constructor(parts: AuditServiceParts | undefined) {
    this.#parts = parts;
  }

  /**
   * Newest first. A page of large records has fewer than `limit`.
   * @param before only records before this index.
   */
  async list(
    reader: AuditReader,
    filter: Omit<AuditFilter, "orgId">,
    limit: number,
    before?: number,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly next?: number }> {
    if (!Number.isInteger(limit) || limit < 1 || limit > AUDIT_PAGE_MAX) {
      throw invalidField("limit", `must be a whole number from 1 to ${String(AUDIT_PAGE_MAX)}`);
    }
    const { archive, sequencer, visibleErrors } = this.#needed();
    await sequencer.flush();
    const size = { limit, bytesMax: AUDIT_PAGE_BYTES_MAX };
    const { orgId } = reader;
    const { records: found, isCut } = await archive.list({ ...filter, orgId }, size, before);
    const isVisible = visibleErrors(reader);
    const records: AuditRecord[] = [];
    for (const record of found) records.push(await shownRecord(record, isVisible));
    const last = isCut || records.length === limit ? records.at(-1) : undefined;
    return last === undefined ? { records } : { records, next: last.index };
  }

  /** @throws AppError `NOT_FOUND` when the caller's organization has no such record. */
  async record(reader: AuditReader, index: number): Promise<ProvenRecord> {
    const { archive, visibleErrors } = this.#needed();
    const record = await archive.record(reader.orgId, index);
    if (record === undefined) {
      const what = `Your organization has no audit record ${String(index)}; list them with steward audit list`;
      throw new AppError("NOT_FOUND", what);
    }
    const { note } = await archive.checkpoint();
    const { size } = parseCheckpoint(parseNote(note).text);
    return {
      record: await shownRecord(record, visibleErrors(reader)),
      checkpoint: note,
      proof: await inclusionProof(index, size, readTiles(archive)),
    };
  }

  /**
   * The proof that the log of `newer` records begins with its first `older` ones.
   * @throws AppError `INVALID_ARGUMENT` for sizes that the log has never had.
   */
  async consistency(older: number, newer: number): Promise<readonly Buffer[]> {
    const { archive } = this.#needed();
    const { size } = await archive.checkpoint();
    if (newer > size) {
      throw invalidField("newer", `the log has ${String(size)} records, not ${String(newer)}`);
    }
    return consistencyProof(older, newer, readTiles(archive));
  }

  /**
   * The newest checkpoint, with everything that happened before the call and the cosignatures that
   * there are of it; empty before the first record.
   */
  async checkpoint(): Promise<string> {
    const { archive, sequencer } = this.#needed();
    await sequencer.flush();
    const { note } = await archive.checkpoint();
    const states = await this.witnesses();
    return withCosignatures(
      note,
      states.flatMap(({ cosigned }) => cosigned?.note ?? []),
    );
  }

  /** The witnesses that the operator trusts, with what each has cosigned last. */
  async witnesses(): Promise<readonly WitnessState[]> {
    const { witnesses, cosignatures } = this.#needed();
    if (witnesses.length === 0) return [];
    const stored = await cosignatures.list();
    return witnesses.map((key) => {
      const name = verifierKeyText(key);
      const cosigned = stored.find(({ witness }) => witness === name);
      if (cosigned === undefined) return { key };
      const line = parseNote(cosigned.note).signatures.find(
        ({ name: signer, keyId }) => signer === key.name && keyId === key.keyId,
      );
      return {
        key,
        cosigned: { ...cosigned, atSeconds: line === undefined ? 0 : cosignedAt(line) },
      };
    });
  }

  /**
   * A tile of hashes or a bundle of entries.
   * @param path such as `tile/0/000`.
   * @throws AppError `NOT_FOUND` when the log does not reach that far.
   */
  async tile(path: string): Promise<Buffer> {
    const { archive } = this.#needed();
    const name = tileNamed(path);
    const { level, index, width } = name;
    const { size } = await archive.checkpoint();
    const available = tileWidth(level === "entries" ? 0 : level, index, size);
    if (available < width) {
      const what = `The log of ${String(size)} records does not have ${path}`;
      throw new AppError("NOT_FOUND", what);
    }
    if (level === "entries") {
      const entries = await archive.entries(index * TILE_WIDTH, width);
      return entryBundle(entries.map((entry) => Buffer.from(entry)));
    }
    const [tile = Buffer.alloc(0)] = await archive.tiles([name]);
    return tile.subarray(0, width * HASH_BYTES);
  }

  #needed(): AuditServiceParts {
    if (this.#parts !== undefined) return this.#parts;
    throw new AppError(
      "UNIMPLEMENTED",
      "There is no audit log, because nothing is stored: set SERVICE_DATABASE_URL",
    );
  }
}
