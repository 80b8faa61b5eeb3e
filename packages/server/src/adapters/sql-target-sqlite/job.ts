import { StatementError, type StatementResult } from "../../plans/ports.js";
import type { ChildReply, ChildTask } from "./protocol.js";

/** Why a job is stopped before its end. */
export type StopReason = "timeout" | "aborted";

/** Until when a job is worth doing. */
export interface JobLimits {
  /** From now, waiting included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * A task on its way to its result, wherever it waits. Settled once; what comes later is ignored.
 */
export class Job<Task extends ChildTask = ChildTask> {
  readonly task: Task;
  /** `undefined` is the answer of a `settle` that found nothing. */
  readonly result: Promise<StatementResult | undefined>;
  readonly #limits: JobLimits;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort: () => void;
  #resolve: (result: StatementResult | undefined) => void = () => undefined;
  #reject: (error: StatementError) => void = () => undefined;
  #stopReason: StopReason | undefined;

  /** @param onStop called once, when time is up or the signal is aborted before the job is settled. */
  constructor(task: Task, limits: JobLimits, onStop: (job: Job<Task>) => void) {
    this.task = task;
    this.#limits = limits;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const stop = (reason: StopReason): void => {
      this.#release();
      this.#stopReason = reason;
      onStop(this);
    };
    this.#onAbort = () => {
      stop("aborted");
    };
    this.#timer = setTimeout(stop, limits.timeoutMs, "timeout");
    limits.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Whether it was told to stop; whoever holds it rejects it once it runs no more. */
  get isStopped(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Settles it as a child answered; a `dropped` one has nobody who waits. */
  answer(reply: ChildReply, body: string): void {
    if (reply.kind === "result") this.resolve({ ...reply.result, outputJson: body });
    else if (reply.kind === "fenced") this.resolve(undefined);
    else if (reply.kind === "failed") {
      const { reason, message, hints } = reply.failure;
      this.reject(new StatementError(reason, message, { hints }));
    }
  }

  resolve(result: StatementResult | undefined): void {
    this.#release();
    this.#resolve(result);
  }

  reject(error: StatementError): void {
    this.#release();
    this.#reject(error);
  }

  /**
   * Rejects a job that runs nowhere any more and left no trace: it was stopped, or else lost.
   * @param lost how it was lost; absent: by no fault of its own.
   */
  rejectUndone(lost?: StatementError): void {
    this.reject(this.isStopped || lost === undefined ? this.#undoneError() : lost);
  }

  #undoneError(): StatementError {
    switch (this.#stopReason) {
      case "aborted":
        return new StatementError("aborted", "The statement was stopped: its step was cancelled");
      case "timeout": {
        const limit = `${this.#limits.timeoutMs} ms`;
        return new StatementError("timeout", `The statement was stopped: it took over ${limit}`);
      }
      default:
        return new StatementError(
          "rolled_back",
          "The process that ran the statement ended; nothing was changed",
        );
    }
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener("abort", this.#onAbort);
  }
}
