import { waitedTooLong } from "../sql-target/fair-share.js";
import { StatementError, type StatementRequest } from "../../plans/ports.js";

/** Why a statement was stopped. */
type StopReason = "waited" | "timeout" | "aborted";

/** The deadline of a step's statement, and why the statement was stopped. */
export class Stopper implements Disposable {
  /** Aborted when time is up or the step was cancelled. */
  readonly signal: AbortSignal;
  readonly #timeoutMs: number;
  readonly #waitMs: number;
  readonly #outer: AbortSignal;
  readonly #onAbort: () => void;
  readonly #stop: (reason: StopReason) => void;
  #deadlineMs: number;
  #timer: NodeJS.Timeout;
  #reason: StopReason | undefined;

  /** Starts the time limit of the wait in the queue. */
  constructor(
    { waitMs, timeoutMs }: Pick<StatementRequest, "waitMs" | "timeoutMs">,
    outer: AbortSignal,
  ) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#timeoutMs = timeoutMs;
    this.#waitMs = waitMs;
    this.#deadlineMs = performance.now() + timeoutMs;
    this.#stop = (reason) => {
      this[Symbol.dispose]();
      this.#reason = reason;
      controller.abort();
    };
    this.#onAbort = () => this.#stop("aborted");
    this.#timer = setTimeout(this.#stop, waitMs, "waited");
    this.#outer = outer;
    outer.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Ends the wait, and starts the time limit of the statement. */
  begin(): void {
    if (this.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#deadlineMs = performance.now() + this.#timeoutMs;
    this.#timer = setTimeout(this.#stop, this.#timeoutMs, "timeout");
  }

  /** At least 1. */
  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.#deadlineMs - performance.now()));
  }

  /** Whether the statement may still run. */
  get hasTimeLeft(): boolean {
    return performance.now() < this.#deadlineMs;
  }

  /** The error of a stopped statement; `undefined` if it was not stopped. */
  get error(): StatementError | undefined {
    switch (this.#reason) {
      case "aborted":
        return new StatementError("aborted", "The statement was stopped: its step was cancelled");
      case "waited":
        return waitedTooLong(this.#waitMs);
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
