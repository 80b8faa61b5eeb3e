import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@steward/kernel/clock.js";
import { storeUnavailable } from "./failure-reason.js";
import { PacedCheck } from "./paced-check.js";

/**
 * Size of a probe in bytes. A smaller write could fit into free pages of a database without needing
 * disk space.
 */
const PROBE_BYTES = 256 * 1024;
/** Minimum interval between two probes, in ms. */
const PROBE_EVERY_MS = 10_000;
const PROBE = Buffer.alloc(PROBE_BYTES);

/** Checks whether the disk under a directory accepts writes, by writing to it. */
export class DirectoryProbe {
  readonly #directory: string;
  readonly #paced: PacedCheck;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#paced = new PacedCheck(() => this.now(), PROBE_EVERY_MS, clock);
  }

  /** Like `now`, but the result may be some seconds old. */
  recently(): Promise<void> {
    return this.#paced.run();
  }

  /**
   * A missing directory counts as writable.
   * @throws AppError `STORE_UNAVAILABLE` with the reason, when the disk refuses the write.
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
