import { AppError } from "@steward/kernel/errors.js";
import type { Hash } from "./hash.js";

/**
 * A block that is missing or whose content does not match its hash: an AppError `STATE_CORRUPTED`
 * that names the block.
 */
export class CorruptedBlock extends AppError {
  readonly hash: Hash;

  constructor(hash: Hash, what: "missing" | "damaged", cause?: unknown) {
    super("STATE_CORRUPTED", `The block ${hash} of the state is ${what}`, { cause });
    this.hash = hash;
  }
}
