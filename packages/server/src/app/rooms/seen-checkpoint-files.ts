import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  checkpointText,
  parseCheckpoint,
  type Checkpoint,
  type SeenCheckpoints,
} from "../../audit/index.js";
import { makePrivateDirectory, PRIVATE_FILE_MODE } from "../../storage/private-files.js";

/**
 * Checkpoints in files of the data directory, one for each log. A crash leaves the former one; a file that a
 * crash of the machine has emptied counts as none.
 */
export class SeenCheckpointFiles implements SeenCheckpoints {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  placeOf(logId: string): string {
    return join(this.#directory, logId.slice(0, NAME_LENGTH));
  }

  async read(logId: string): Promise<Checkpoint | undefined> {
    try {
      return parseCheckpoint(await readFile(this.placeOf(logId), "utf8"));
    } catch {
      return undefined;
    }
  }

  async write(logId: string, checkpoint: Checkpoint): Promise<void> {
    makePrivateDirectory(this.#directory);
    const place = this.placeOf(logId);
    const written = `${place}.new`;
    await writeFile(written, checkpointText(checkpoint), { mode: PRIVATE_FILE_MODE });
    await rename(written, place);
  }
}

/** Digits of a log's id in the name of its file, which people have to type. */
const NAME_LENGTH = 16;
