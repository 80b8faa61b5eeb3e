import { deathError, type DeathReason } from "./death-reason.js";
import type { Job } from "./job.js";
import type { ChildReply, DescribeTask, ReadTask } from "./protocol.js";
import { StatementProcess, type ChildLaunch } from "./statement-process.js";

/** A job of a reader. */
export type ReadJob = Job<ReadTask | DescribeTask>;

export interface ReaderListener {
  /** The reader has answered an organization, empty when nobody waited, and can take another job. */
  onAnswer(orgId: string): void;
  /** The statement at the head of the reader's queue takes long. */
  onSlow(reader: Reader): void;
  /**
   * The reader has ended. Its remaining jobs must move to another reader.
   * @param orgId whose statement it ran; empty when it ran none.
   */
  onClose(reader: Reader, orphans: readonly ReadJob[], orgId: string): void;
}

/** Statements sent to a reader at once: enough to keep it busy while answers are transferred. */
const PIPELINE_LENGTH_MAX = 32;
/** How long a statement may run before those behind it move to another process, in ms. */
const SLOW_MS = 50;

/** A child for reads, with the jobs sent to it, which it runs in order. */
export class Reader {
  readonly #child: StatementProcess;
  readonly #launch: ChildLaunch;
  readonly #listener: ReaderListener;
  /** By id, in sending order; `undefined`: nobody waits for it any more. */
  readonly #sent = new Map<number, ReadJob | undefined>();
  /** Number of its jobs by organization. */
  readonly #orgs = new Map<string, number>();
  readonly #slowTimer: NodeJS.Timeout;
  #isSlow = false;
  #isKilled = false;

  constructor(launch: ChildLaunch, listener: ReaderListener) {
    this.#launch = launch;
    this.#listener = listener;
    this.#child = new StatementProcess(launch, {
      onReply: (reply, body) => this.#onReply(reply, body),
      onClose: (reason) => this.#onClose(reason),
    });
    this.#slowTimer = setTimeout(() => this.#lookAtSlow(), SLOW_MS).unref();
  }

  /** Jobs sent and not yet answered. */
  get load(): number {
    return this.#sent.size;
  }

  get isClosing(): boolean {
    return this.#child.isClosing;
  }

  /** Whether it has a job of this organization. */
  serves(orgId: string): boolean {
    return this.#orgs.has(orgId);
  }

  /** Whether it would soon start another job. */
  get hasRoom(): boolean {
    return !this.isClosing && !this.#isSlow && this.#sent.size < PIPELINE_LENGTH_MAX;
  }

  get closed(): Promise<void> {
    return this.#child.closed;
  }

  send(job: ReadJob): void {
    if (this.#sent.size === 0) this.#slowTimer.refresh();
    this.#sent.set(this.#child.ask(job.task), job);
    this.#orgs.set(job.orgId, (this.#orgs.get(job.orgId) ?? 0) + 1);
    this.#beginFirst();
  }

  holds(job: ReadJob): boolean {
    return this.#idOf(job) !== undefined;
  }

  /**
   * Ends a stopped job. A running job is rejected when its process has ended; a waiting one is
   * rejected now. A process that is still starting is not killed, because none of its jobs runs yet: on
   * a machine where the start takes longer than a statement may wait, no statement would ever run.
   */
  stop(job: ReadJob): void {
    const [first] = this.#sent.values();
    if (job === first && this.#child.isReady) {
      this.kill();
      return;
    }
    this.#disown([job]);
    job.rejectUndone();
  }

  /** Takes back the jobs that have not started. */
  takeWaiting(): readonly ReadJob[] {
    const [, ...behind] = this.#sent.values();
    const jobs = behind.filter((job) => job !== undefined);
    this.#disown(jobs);
    return jobs;
  }

  end(): void {
    this.#child.end();
  }

  kill(): void {
    this.#isKilled = true;
    this.#child.kill();
  }

  #disown(jobs: readonly ReadJob[]): void {
    const ids = jobs.flatMap((job) => this.#idOf(job) ?? []);
    if (ids.length === 0) return;
    for (const id of ids) this.#sent.set(id, undefined);
    for (const job of jobs) this.#countOff(job);
    this.#child.tell({ kind: "drop", ids });
  }

  /** Starts the first job once the process is running. */
  #beginFirst(): void {
    if (!this.#child.isReady) return;
    for (const job of this.#sent.values()) {
      job?.begin();
      return;
    }
  }

  #countOff({ orgId }: ReadJob): void {
    const count = this.#orgs.get(orgId) ?? 0;
    if (count <= 1) this.#orgs.delete(orgId);
    else this.#orgs.set(orgId, count - 1);
  }

  #idOf(job: ReadJob): number | undefined {
    for (const [id, sent] of this.#sent) if (sent === job) return id;
    return undefined;
  }

  #onReply(reply: ChildReply, body: string): void {
    if (reply.kind === "ready") {
      this.#slowTimer.refresh();
      this.#beginFirst();
      return;
    }
    const job = this.#sent.get(reply.id);
    this.#sent.delete(reply.id);
    if (job !== undefined) this.#countOff(job);
    this.#isSlow = false;
    this.#slowTimer.refresh();
    this.#beginFirst();
    job?.answer(reply, body);
    this.#listener.onAnswer(job?.orgId ?? "");
  }

  /**
   * When this process's own event loop stood still, the answer may have come long ago: the timers of a turn run
   * before its input is read. Only a statement without an answer after that is slow.
   */
  #lookAtSlow(): void {
    const [running] = this.#sent.keys();
    setImmediate(() => {
      const [first] = this.#sent.keys();
      if (first === running) this.#onSlow();
    });
  }

  #onSlow(): void {
    // Nothing runs before the process is ready.
    if (!this.#child.isReady || this.#sent.size === 0 || this.isClosing) return;
    const [first] = this.#sent.values();
    if (first === undefined) {
      // It started before the child learned that nobody waits, so only killing the process stops it
      // in time.
      this.kill();
      return;
    }
    this.#isSlow = true;
    this.#listener.onSlow(this);
  }

  #onClose(reason: DeathReason): void {
    clearTimeout(this.#slowTimer);
    const [first] = this.#sent.values();
    const orphans: ReadJob[] = [];
    for (const job of this.#sent.values()) {
      if (job === undefined) continue;
      // The first job may have crashed the process, so its caller decides about a retry.
      if (job.isStopped) job.rejectUndone();
      else if (job === first && !this.#isKilled) job.rejectUndone(deathError(reason, this.#launch));
      else orphans.push(job);
    }
    this.#sent.clear();
    this.#listener.onClose(this, orphans, first?.orgId ?? "");
  }
}
