import {
  entriesOf,
  HASH_BYTES,
  leafHash,
  TILE_WIDTH,
  tilePath,
  tileWidth,
  TreeEdge,
  type ChangedTile,
  type Checkpoint,
} from "./tree/index.js";

/** The files of an export. */
export interface AuditFiles {
  /** The content of a file; `undefined` when there is none. @param path such as `tile/0/000`. */
  read(path: string): Promise<Buffer | undefined>;
}

/** The result of a verification. */
export type AuditVerdict =
  | { readonly isIntact: true; readonly records: number }
  | {
      readonly isIntact: false;
      /** A sentence for an auditor. */
      readonly problem: string;
      /** The first record that differs or is missing; absent when it cannot be told. */
      readonly record?: number;
    };

/** A checkpoint that the first records of an export must lead to. */
export interface EarlierCheckpoint {
  readonly checkpoint: Checkpoint;
  /** Where it is from, as in "the checkpoint that witness.example.com/w1 has cosigned". */
  readonly name: string;
}

/** What an export is verified against. */
export interface TrustedCheckpoints {
  /** The checkpoint of the export, whose signature was verified. */
  readonly checkpoint: Checkpoint;
  /** Checkpoints that the auditor has from elsewhere, whose signatures were verified. */
  readonly earlier?: readonly EarlierCheckpoint[];
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Verifies that the entries of an export lead to the root of its checkpoint, and those below each
 * earlier checkpoint to that one's root. The entries are read once, in bundles.
 */
export async function verifyExport(
  files: AuditFiles,
  trusted: TrustedCheckpoints,
): Promise<AuditVerdict> {
  const { checkpoint, earlier = [], onProgress } = trusted;
  for (const each of earlier) {
    const shorter = withoutEarlier(each, checkpoint);
    if (shorter !== undefined) return shorter;
  }
  const run = new Verification(files, trusted);
  for (let from = 0; from < checkpoint.size; from += TILE_WIDTH) {
    const incomplete = await run.readBundle(from);
    if (incomplete !== undefined) return incomplete;
    onProgress?.(Math.min(from + TILE_WIDTH, checkpoint.size), checkpoint.size);
  }
  return run.verdict();
}

/** The verdict when the earlier checkpoint covers more records than the export claims to have. */
function withoutEarlier(
  { checkpoint: earlier, name }: EarlierCheckpoint,
  { origin, size }: Checkpoint,
): AuditVerdict | undefined {
  if (earlier.origin !== origin) {
    return differs(`${upperFirst(name)} is of the log ${earlier.origin}, the export of ${origin}`);
  }
  if (earlier.size <= size) return undefined;
  return differs(
    `Record ${String(size)} is missing: ${name} covers ${String(earlier.size)} records, the export only ${String(size)}`,
    size,
  );
}

/** One pass over an export. */
class Verification {
  readonly #files: AuditFiles;
  readonly #trusted: TrustedCheckpoints;
  readonly #edge = new TreeEdge();
  /** The first record whose hash differs from the one in its tile, with the path of the tile. */
  #strangeRecord: { readonly record: number; readonly path: string } | undefined;
  /** The first tile of hashes that differs from the hashes of the records. */
  #strangeTile:
    { readonly path: string; readonly from: number; readonly until: number } | undefined;
  /** The roots of the records at the sizes of the earlier checkpoints. */
  readonly #earlierRoots = new Map<number, Buffer>();
  /** The sizes of the earlier checkpoints, in ascending order. */
  readonly #earlierSizes: readonly number[];

  constructor(files: AuditFiles, trusted: TrustedCheckpoints) {
    this.#files = files;
    this.#trusted = trusted;
    this.#earlierRoots.set(0, this.#edge.root());
    const sizes = new Set(trusted.earlier?.map(({ checkpoint }) => checkpoint.size));
    this.#earlierSizes = [...sizes].toSorted((one, other) => one - other);
  }

  /**
   * @returns the verdict when records are missing, because the records after them cannot be
   *   verified then.
   */
  async readBundle(from: number): Promise<AuditVerdict | undefined> {
    const index = from / TILE_WIDTH;
    const width = tileWidth(0, index, this.#trusted.checkpoint.size);
    const path = tilePath({ level: "entries", index, width });
    const bundle = await this.#files.read(path);
    if (bundle === undefined) {
      return differs(`Record ${String(from)} is missing: there is no file ${path}`, from);
    }
    const { entries, isWhole } = entriesOf(bundle);
    const leaves = entries.slice(0, width).map(leafHash);
    await this.#compareLeaves(from, leaves, tilePath({ level: 0, index, width }));
    if (entries.length !== width || !isWhole) {
      const record = this.#strangeRecord?.record ?? from + Math.min(entries.length, width);
      const has = `${path} has ${String(entries.length)} whole entries instead of ${String(width)}`;
      return differs(`Record ${String(record)} differs or is missing: ${has}`, record);
    }
    await this.#append(from, leaves);
    return undefined;
  }

  /** The verdict after the last bundle. */
  verdict(): AuditVerdict {
    const { checkpoint, earlier = [] } = this.#trusted;
    if (!this.#edge.root().equals(checkpoint.root)) return this.#firstStrange();
    const rewritten = earlier.find(
      ({ checkpoint: { size, root } }) => this.#earlierRoots.get(size)?.equals(root) !== true,
    );
    if (rewritten !== undefined) {
      return differs(
        `The first ${String(rewritten.checkpoint.size)} records are not those of ${rewritten.name}, although they agree with the checkpoint of ` +
          "the export: the log was written anew. An export from the time of that checkpoint tells which records differ",
      );
    }
    const strange = this.#strangeRecord?.path ?? this.#strangeTile?.path;
    if (strange === undefined) return { isIntact: true, records: checkpoint.size };
    return differs(
      `All records are those that were signed, but the file ${strange} has other hashes than they lead to: export it again`,
    );
  }

  async #compareLeaves(from: number, leaves: readonly Buffer[], path: string): Promise<void> {
    if (this.#strangeRecord !== undefined) return;
    const tile = (await this.#files.read(path)) ?? Buffer.alloc(0);
    const strange = leaves.findIndex(
      (leaf, at) => !tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES).equals(leaf),
    );
    if (strange >= 0) this.#strangeRecord = { record: from + strange, path };
    else if (tile.length !== leaves.length * HASH_BYTES) {
      this.#strangeTile ??= { path, from, until: from + leaves.length };
    }
  }

  async #append(from: number, leaves: readonly Buffer[]): Promise<void> {
    const end = from + leaves.length;
    const cuts = this.#earlierSizes.filter((size) => size > from && size < end);
    for (const until of [...cuts, end]) {
      await this.#compareTiles(
        this.#edge.append(leaves.slice(this.#edge.size - from, until - from)),
      );
      if (this.#earlierSizes.includes(until)) this.#earlierRoots.set(until, this.#edge.root());
    }
  }

  /** Compares the tiles above the records with their files, once they have their final width. */
  async #compareTiles(changed: readonly ChangedTile[]): Promise<void> {
    for (const { level, index, hashes } of changed) {
      const width = tileWidth(level, index, this.#trusted.checkpoint.size);
      if (level === 0 || hashes.length !== width * HASH_BYTES) continue;
      const path = tilePath({ level, index, width });
      const file = (await this.#files.read(path)) ?? Buffer.alloc(0);
      if (file.equals(hashes)) continue;
      const leaves = TILE_WIDTH ** level;
      const at = firstStrangeHash(file, hashes);
      const from = (index * TILE_WIDTH + at) * leaves;
      this.#strangeTile ??= { path, from, until: from + leaves };
    }
  }

  #firstStrange(): AuditVerdict {
    if (this.#strangeRecord !== undefined) {
      const { record, path } = this.#strangeRecord;
      return differs(`Record ${String(record)} differs from its hash in ${path}`, record);
    }
    if (this.#strangeTile !== undefined) {
      const { path, from, until } = this.#strangeTile;
      return differs(
        `One of the records ${String(from)} to ${String(until - 1)} differs from what was signed, as ${path} tells; ` +
          "the hashes below were changed with it",
        from,
      );
    }
    return differs(
      "The records and all hashes agree with each other, but not with the root that was signed: the whole export was written anew",
    );
  }
}

function firstStrangeHash(file: Buffer, hashes: Buffer): number {
  let at = 0;
  while (
    at < hashes.length / HASH_BYTES - 1 &&
    hashes
      .subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
      .equals(file.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))
  ) {
    at += 1;
  }
  return at;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function differs(problem: string, record?: number): AuditVerdict {
  return { isIntact: false, problem, ...(record === undefined ? {} : { record }) };
}
