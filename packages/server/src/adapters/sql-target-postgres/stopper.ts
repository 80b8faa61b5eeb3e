import { StatementError } from "../../plans/ports.js";

/** Until when a step's statement is worth running, and why it was stopped. */
export class Stopper implements Disposable {
  /** Aborted once: when time is up or the step was cancelled. */
  readonly signal: AbortSignal;
  readonly #timeoutMs: number;
  readonly #deadlineMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal;
  readonly #onAbort: () => void;
  #reason: "timeout" | "aborted" | undefined;

  /** @param timeoutMs from now. */
  constructor(timeoutMs: number, outer: AbortSignal) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#timeoutMs = timeoutMs;
    this.#deadlineMs = performance.now() + timeoutMs;
    const stop = (reason: "timeout" | "aborted"): void => {
      this[Symbol.dispose]();
      this.#reason = reason;
      controller.abort();
    };
    this.#onAbort = () => stop("aborted");
    this.#timer = setTimeout(stop, timeoutMs, "timeout");
    this.#outer = outer;
    outer.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** At least one. */
  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.#deadlineMs - performance.now()));
  }

  /** What a statement that was stopped failed with; `undefined` while it was not. */
  get error(): StatementError | undefined {
    switch (this.#reason) {
      case "aborted":
        return new StatementError("aborted", "The statement was stopped: its step was cancelled");
      case "timeout": {
        const limit = `${this.#timeoutMs} ms`;
        return new StatementError("timeout", `The statement was stopped: it took over ${limit}`);
      }
      case undefined:
        return undefined;
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#onAbort);
  }
}
