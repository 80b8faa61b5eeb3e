import { AppError } from "../kernel/errors.js";
import type { Hash } from "./hash.js";

/** A block that is missing or not what its hash says: an AppError `STATE_CORRUPTED` that names it. */
export class CorruptedBlock extends AppError {
  readonly hash: Hash;

  constructor(hash: Hash, what: "missing" | "damaged", cause?: unknown) {
    super("STATE_CORRUPTED", `The block ${hash} of the state is ${what}`, { cause });
    this.hash = hash;
  }
}
