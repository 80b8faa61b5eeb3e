import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@steward/kernel/clock.js";
import { storeUnavailable } from "./failure-reason.js";
import { PacedCheck } from "./paced-check.js";

/** Bytes that a probe writes: more than free pages of a database would take without the disk. */
const PROBE_BYTES = 256 * 1024;
/** How often the disk is asked, at most, in ms. */
const PROBE_EVERY_MS = 10_000;
const PROBE = Buffer.alloc(PROBE_BYTES);

/** Tells whether the disk under a directory takes what is written, by writing to it. */
export class DirectoryProbe {
  readonly #directory: string;
  readonly #paced: PacedCheck;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#paced = new PacedCheck(() => this.now(), PROBE_EVERY_MS, clock);
  }

  /** As `now`, but the answer may be some seconds old. */
  recently(): Promise<void> {
    return this.#paced.run();
  }

  /**
   * A directory that is not there yet is taken for a good one.
   * @throws AppError `STORE_UNAVAILABLE` with the reason, when the disk does not take what is written.
   */
  async now(): Promise<void> {
    if (!existsSync(this.#directory)) return;
    const path = join(this.#directory, ".steward-probe");
    try {
      const file = await open(path, "w");
      try {
        await file.writeFile(PROBE);
        await file.datasync();
      } finally {
        await file.close();
        await rm(path, { force: true });
      }
    } catch (error) {
      throw storeUnavailable(`${this.#directory} cannot be written to`, error, path);
    }
  }
}
