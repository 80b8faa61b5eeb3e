import { FairQueue } from "@steward/kernel/concurrency/fair-queue.js";
import { ORG_WAITING_MAX } from "../limits.js";
import { StatementError, type AttemptRef, type StatementResult } from "../../plans/ports.js";
import { deathError, type DeathReason } from "./death-reason.js";
import { Job, type JobLimits } from "./job.js";
import type {
  ChildReply,
  DeleteMarkersTask,
  PreviewTask,
  SettleTask,
  WriteTask,
} from "./protocol.js";
import { tooManyWait } from "../sql-target/fair-share.js";
import { StatementProcess, type ChildLaunch } from "./statement-process.js";

/**
 * Maximum number of markers to delete with the next write; further markers are deleted when they
 * are old.
 */
const FORGOTTEN_MAX = 1000;
/** Time limit for determining an attempt's outcome, in ms. */
const SETTLE_TIMEOUT_MS = 10_000;

type WriterTask = WriteTask | SettleTask | PreviewTask | DeleteMarkersTask;
type WriteJob = Job<WriterTask>;

/** The present task of the process. */
interface CurrentWrite {
  readonly job: WriteJob;
  /** Whether COMMIT was announced: then only the data source knows whether it happened. */
  isCommitting: boolean;
}

/**
 * Runs writes one at a time, as SQLite requires, in one process that is started on demand.
 * Organizations are served round-robin.
 */
export class Writer {
  readonly #launch: ChildLaunch;
  #child: StatementProcess | undefined;
  #current: CurrentWrite | undefined;
  readonly #waiting = new FairQueue<WriteJob>(ORG_WAITING_MAX);
  /** Requests for the outcome of an attempt, which precede the writes. */
  #settling: WriteJob[] = [];
  #forgotten: AttemptRef[] = [];
  #isClosed = false;

  constructor(launch: ChildLaunch) {
    this.#launch = launch;
  }

  /** @throws StatementError; the statement then runs nowhere any more. */
  write(task: Omit<WriteTask, "kind">, limits: JobLimits): Promise<StatementResult | undefined> {
    return this.#queue(this.#job({ kind: "write", ...task }, task.attempt.orgId, limits));
  }

  /** Runs a write in its turn, and rolls it back. @throws StatementError */
  preview(
    task: Omit<PreviewTask, "kind">,
    orgId: string,
    limits: JobLimits,
  ): Promise<StatementResult | undefined> {
    return this.#queue(this.#job({ kind: "preview", ...task }, orgId, limits));
  }

  #queue(job: WriteJob): Promise<StatementResult | undefined> {
    if (this.#isClosed) job.reject(new StatementError("rolled_back", "The data source is closed"));
    else if (this.#waiting.push(job.orgId, job)) this.#next();
    else job.reject(tooManyWait());
    return job.result;
  }

  /** See `SqlTarget.settle`. It precedes the waiting writes. */
  async settle(attempt: AttemptRef): Promise<StatementResult | undefined> {
    if (this.#isClosed) throw outcomeUnknown("the data source is closed");
    const limits = { waitMs: SETTLE_TIMEOUT_MS, timeoutMs: SETTLE_TIMEOUT_MS };
    const job = this.#job({ kind: "settle", attempt }, attempt.orgId, limits);
    this.#settling.unshift(job);
    this.#next();
    try {
      return await job.result;
    } catch (error) {
      throw outcomeUnknown(error);
    }
  }

  /** Deletes the marker together with the next write. */
  forget(attempt: AttemptRef): void {
    this.#forgotten.push(attempt);
    if (this.#forgotten.length > FORGOTTEN_MAX) this.#forgotten.shift();
  }

  /** Deletes the results in the markers of plans, in its turn. @throws StatementError */
  async deleteMarkers(orgId: string, planIds: readonly string[]): Promise<void> {
    const limits = { waitMs: SETTLE_TIMEOUT_MS, timeoutMs: SETTLE_TIMEOUT_MS };
    await this.#queue(this.#job({ kind: "delete_markers", orgId, planIds }, orgId, limits));
  }

  /** Ends the process; running statements are lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of [...this.#settling.splice(0), ...this.#waiting.drain()]) job.rejectUndone();
    this.#child?.end();
    await this.#child?.closed;
  }

  #job(task: WriterTask, orgId: string, limits: JobLimits): WriteJob {
    return new Job({ task, orgId }, limits, (stopped) => {
      this.#stop(stopped);
    });
  }

  #stop(job: WriteJob): void {
    if (this.#current?.job === job) {
      this.#child?.kill();
      return;
    }
    this.#settling = this.#settling.filter((waiting) => waiting !== job);
    this.#waiting.remove(job.orgId, job);
    job.rejectUndone();
  }

  #next(): void {
    if (this.#current !== undefined || this.#settling.length + this.#waiting.size === 0) return;
    const child = this.#liveChild();
    // A task waits in the queue, not in a process that is starting: if that takes longer than the task may wait,
    // the process is kept for the next one.
    if (!child.isReady) return;
    const job = this.#takeNext();
    if (job === undefined) return;
    this.#current = { job, isCommitting: false };
    job.begin();
    if (this.#forgotten.length > 0) {
      child.tell({ kind: "forget", attempts: this.#forgotten.splice(0) });
    }
    child.ask(job.task);
  }

  #takeNext(): WriteJob | undefined {
    return this.#settling.shift() ?? this.#waiting.take(() => true);
  }

  #liveChild(): StatementProcess {
    if (this.#child !== undefined && !this.#child.isClosing) return this.#child;
    const child: StatementProcess = new StatementProcess(this.#launch, {
      onReply: (reply, body) => this.#onReply(reply, body),
      onClose: (reason) => {
        if (this.#child === child) this.#onClose(reason);
      },
    });
    this.#child = child;
    return child;
  }

  #onReply(reply: ChildReply, body: string): void {
    const current = this.#current;
    if (reply.kind === "ready") {
      this.#next();
      return;
    }
    if (current === undefined) return;
    if (reply.kind === "committing") {
      current.isCommitting = true;
      return;
    }
    this.#current = undefined;
    current.job.answer(reply, body);
    this.#waiting.endTurn(current.job.orgId);
    this.#next();
  }

  #onClose(reason: DeathReason): void {
    this.#child = undefined;
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) {
      // It ended before it was ready, so the task for which it was started ran nowhere.
      this.#takeNext()?.rejectUndone();
    } else {
      this.#waiting.endTurn(current.job.orgId);
      this.#afterLoss(current, reason);
    }
    this.#next();
  }

  /**
   * The process has ended. A write whose COMMIT was not announced left no trace. In any case the
   * outcome is read from the data source: the next process that opens it rolls back an unfinished
   * transaction.
   */
  #afterLoss({ job, isCommitting }: CurrentWrite, reason: DeathReason): void {
    if (job.task.kind === "write") {
      if (!isCommitting) job.rejectUndone(deathError(reason, this.#launch));
      void this.#settleLost(job, job.task.attempt);
    } else if (job.task.kind !== "settle") {
      // A preview never commits, and markers are deleted again without harm.
      job.rejectUndone(deathError(reason, this.#launch));
    } else if (job.isStopped || this.#isClosed) {
      job.rejectUndone();
    } else {
      // Reading the outcome again is harmless.
      this.#settling.unshift(job);
    }
  }

  async #settleLost(job: WriteJob, attempt: AttemptRef): Promise<void> {
    try {
      const result = await this.settle(attempt);
      if (result === undefined) job.rejectUndone();
      else job.resolve(result);
    } catch (error) {
      job.reject(error instanceof StatementError ? error : outcomeUnknown(error));
    }
  }
}

function outcomeUnknown(cause: unknown): StatementError {
  const message = "It cannot be determined now whether the write took effect";
  return new StatementError("connection", message, { cause });
}
