import type { MessagePort } from "node:worker_threads";
import {
  UnitPacker,
  unavailable,
  WriteConflict,
  type CommitRequest,
  type UnitResult,
  type WriteUnit,
} from "./commit-protocol.js";

interface Pending {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Commits units from a thread that is not the owner of the writer: they go straight to the writing
 * thread, and share a transaction with the next units of the owner.
 */
export class JoinedWriter implements Disposable {
  readonly #port: MessagePort;
  readonly #packer = new UnitPacker();
  /** In the order of the answers. */
  readonly #pending: Pending[] = [];
  #isClosed = false;

  /** @param port of `CommitWriter.connect`. */
  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (result: UnitResult) => {
      this.#settle(result);
    });
    port.on("close", () => {
      this.#isClosed = true;
      for (const pending of this.#pending.splice(0)) pending.reject(closed());
    });
  }

  /**
   * Resolves when the unit is durable. Units are committed in the order of the calls.
   * @throws WriteConflict; AppError `STORE_UNAVAILABLE`.
   */
  commit(unit: WriteUnit): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      const request: CommitRequest = this.#packer.pack([unit]);
      this.#port.postMessage(request);
    });
  }

  [Symbol.dispose](): void {
    this.#port.close();
  }

  #settle(result: UnitResult): void {
    const pending = this.#pending.shift();
    if (result.kind === "committed") pending?.resolve();
    else if (result.kind === "conflict") pending?.reject(new WriteConflict());
    else pending?.reject(unavailable(new Error(result.message), result.reason));
  }
}

function closed(): Error {
  return unavailable(new Error("the store is closed"));
}
