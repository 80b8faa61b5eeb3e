import { waitedTooLong } from "../sql-target/fair-share.js";
import { StatementError, type StatementResult } from "../../plans/ports.js";
import type { ChildReply, ChildTask } from "./protocol.js";

/** The reason why a job is stopped before its end. */
export type StopReason = "waited" | "timeout" | "aborted";

/** Time limits of a job. */
export interface JobLimits {
  /** How long the job may wait for its turn, from now, in ms. */
  readonly waitMs: number;
  /** From its turn on. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A task with its pending result. It is settled once; later results are ignored. */
export class Job<Task extends ChildTask = ChildTask> {
  readonly task: Task;
  /** The organization whose turn it waits for. */
  readonly orgId: string;
  /** `undefined` is the answer of a `settle` that found no effect. */
  readonly result: Promise<StatementResult | undefined>;
  readonly #limits: JobLimits;
  readonly #stop: (reason: StopReason) => void;
  readonly #onAbort: () => void;
  #timer: NodeJS.Timeout;
  #hasBegun = false;
  #resolve: (result: StatementResult | undefined) => void = () => undefined;
  #reject: (error: StatementError) => void = () => undefined;
  #stopReason: StopReason | undefined;

  /**
   * @param onStop called once, when a time limit has passed or the signal is aborted before the job
   * is settled.
   */
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

  /** Starts the job's own time limit, because its turn has come. */
  begin(): void {
    if (this.#hasBegun || this.isStopped) return;
    this.#hasBegun = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#stop, this.#limits.timeoutMs, "timeout");
  }

  /**
   * Whether the job was stopped. The reader or writer that has it must reject it when it no longer
   * runs.
   */
  get isStopped(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Settles the job with a child's answer; nobody waits for a `dropped` one. */
  answer(reply: ChildReply, body: string): void {
    if (reply.kind === "result") this.resolve({ outputJson: body, ...reply.result });
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
   * Rejects a job that no longer runs and left no trace, because it was stopped or lost.
   * @param lost the error of a lost job; absent when the job did not cause the loss.
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
