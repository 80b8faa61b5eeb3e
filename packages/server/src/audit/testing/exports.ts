import type { AuditFiles } from "../verify.js";
import {
  entryBundle,
  leafHash,
  TILE_WIDTH,
  tilePath,
  tileWidth,
  TreeEdge,
  type Checkpoint,
} from "../tree/index.js";

/** The name of the logs of tests. */
export const ORIGIN = "steward.test/audit";

/** The files of an export in memory. */
export class FilesInMemory implements AuditFiles {
  readonly #files: Map<string, Buffer>;

  /** @param base files to begin with. */
  constructor(base?: FilesInMemory) {
    this.#files = new Map(base === undefined ? [] : base.#files);
  }

  read(path: string): Promise<Buffer | undefined> {
    return Promise.resolve(this.#files.get(path));
  }

  put(path: string, content: Buffer): void {
    this.#files.set(path, content);
  }

  delete(path: string): void {
    this.#files.delete(path);
  }

  /** Changes a copy of a file's bytes. */
  set(path: string, change: (bytes: Buffer) => Buffer): void {
    this.#files.set(path, change(Buffer.from(this.#files.get(path) ?? "")));
  }

  /** The paths of all files. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }
}

/** The export of a log with so many records. @param word part of each record. */
export function exportOf(
  size: number,
  word = "entry",
): { readonly files: FilesInMemory; readonly checkpoint: Checkpoint } {
  const files = new FilesInMemory();
  const edge = new TreeEdge();
  for (let from = 0; from < size; from += TILE_WIDTH) {
    const index = from / TILE_WIDTH;
    const width = tileWidth(0, index, size);
    const entries = Array.from({ length: width }, (_, at) =>
      Buffer.from(JSON.stringify({ [word]: from + at })),
    );
    files.put(tilePath({ level: "entries", index, width }), entryBundle(entries));
    for (const { level, index: at, hashes } of edge.append(entries.map(leafHash))) {
      const final = tileWidth(level, at, size);
      if (hashes.length === final * 32) {
        files.put(tilePath({ level, index: at, width: final }), hashes);
      }
    }
  }
  return { files, checkpoint: { origin: ORIGIN, size, root: edge.root() } };
}
