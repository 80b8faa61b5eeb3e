import { waitedTooLong } from "../sql-target/fair-share.js";
import { StatementError, type StatementResult } from "../../plans/ports.js";
import type { ChildReply, ChildTask } from "./protocol.js";

/** Why a job is stopped before its end. */
export type StopReason = "waited" | "timeout" | "aborted";

/** Until when a job is worth doing. */
export interface JobLimits {
  /** Until its turn has come, from now. */
  readonly waitMs: number;
  /** From its turn on. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * A task on its way to its result, wherever it waits. Settled once; what comes later is ignored.
 */
export class Job<Task extends ChildTask = ChildTask> {
  readonly task: Task;
  /** The organization whose turn it waits for. */
  readonly orgId: string;
  /** `undefined` is the answer of a `settle` that found nothing. */
  readonly result: Promise<StatementResult | undefined>;
  readonly #limits: JobLimits;
  readonly #stop: (reason: StopReason) => void;
  readonly #onAbort: () => void;
  #timer: NodeJS.Timeout;
  #hasBegun = false;
  #resolve: (result: StatementResult | undefined) => void = () => undefined;
  #reject: (error: StatementError) => void = () => undefined;
  #stopReason: StopReason | undefined;

  /** @param onStop called once, when time is up or the signal is aborted before the job is settled. */
  constructor(
    { task, orgId }: { readonly task: Task; readonly orgId: string },
    limits: JobLimits,
    onStop: (job: Job<Task>) => void,
  ) {
    this.task = task;
    this.orgId = orgId;
    this.#limits = limits;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#stop = (reason) => {
      this.#release();
      this.#stopReason = reason;
      onStop(this);
    };
    this.#onAbort = () => {
      this.#stop("aborted");
    };
    this.#timer = setTimeout(this.#stop, limits.waitMs, "waited");
    limits.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Its turn has come: from now on its time runs. */
  begin(): void {
    if (this.#hasBegun || this.isStopped) return;
    this.#hasBegun = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#stop, this.#limits.timeoutMs, "timeout");
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
      case "waited":
        return waitedTooLong(this.#limits.waitMs);
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
