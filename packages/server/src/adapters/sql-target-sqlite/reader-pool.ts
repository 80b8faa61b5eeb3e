import { FairQueue, slotsPerParty } from "@steward/kernel/concurrency/fair-queue.js";
import { ORG_WAITING_MAX } from "../limits.js";
import type { StatementResult } from "../../plans/ports.js";
import { tooManyWait } from "../sql-target/fair-share.js";
import { Job, type JobLimits } from "./job.js";
import type { DescribeTask, ReadTask } from "./protocol.js";
import { Reader, type ReadJob } from "./reader.js";
import type { ChildLaunch } from "./statement-process.js";

/**
 * Runs reads on a few processes, started on demand. One process usually suffices, because it gets
 * many statements at a time. When one of them takes long, those behind it move to another process,
 * so a read may be started twice. Organizations are served round-robin, and none may occupy all
 * processes.
 */
export class ReaderPool {
  readonly #launch: ChildLaunch;
  readonly #readersMax: number;
  readonly #readers = new Set<Reader>();
  readonly #waiting = new FairQueue<ReadJob>(ORG_WAITING_MAX);
  #isClosed = false;

  constructor(launch: ChildLaunch, readersMax: number) {
    this.#launch = launch;
    this.#readersMax = readersMax;
  }

  /** @throws StatementError. The statement has then ended in every process. */
  ask(
    task: ReadTask | DescribeTask,
    orgId: string,
    limits: JobLimits,
  ): Promise<StatementResult | undefined> {
    const job = new Job({ task, orgId }, limits, (stopped) => this.#stop(stopped));
    if (this.#waiting.push(orgId, job)) {
      this.#makeWay(orgId);
      this.#dispatch();
    } else {
      job.reject(tooManyWait());
    }
    return job.result;
  }

  /** Ends every process; running statements are lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#takeBack([]);
    for (const reader of this.#readers) reader.end();
    await Promise.all([...this.#readers].map((reader) => reader.closed));
  }

  #stop(job: ReadJob): void {
    for (const reader of this.#readers) {
      if (!reader.holds(job)) continue;
      reader.stop(job);
      return;
    }
    this.#waiting.remove(job.orgId, job);
    job.rejectUndone();
  }

  /**
   * Serves an organization without a running statement next: statements of others that were sent
   * ahead to keep the processes busy are taken back if they have not started.
   */
  #makeWay(orgId: string): void {
    const isServed = [...this.#readers].some((reader) => reader.serves(orgId) || reader.load === 0);
    if (isServed || this.#readers.size === 0) return;
    for (const reader of this.#readers) this.#putBack(reader.takeWaiting());
  }

  #dispatch(): void {
    for (;;) {
      // Organizations without a running statement precede those with some.
      const job =
        this.#waiting.take((orgId) => !this.#isServed(orgId) && this.#mayRun(orgId)) ??
        this.#waiting.take((orgId) => this.#mayRun(orgId));
      if (job === undefined) return;
      const reader = this.#findReader(job.orgId) ?? this.#start();
      reader.send(job);
    }
  }

  #isServed(orgId: string): boolean {
    return [...this.#readers].some((reader) => reader.serves(orgId));
  }

  #mayRun(orgId: string): boolean {
    if (this.#findReader(orgId) !== undefined) return true;
    const live = [...this.#readers].filter((reader) => !reader.isClosing).length;
    return live < this.#readersMax && this.#hasShareLeft(orgId);
  }

  #hasShareLeft(orgId: string): boolean {
    const taken = [...this.#readers].filter((reader) => reader.serves(orgId)).length;
    return taken < slotsPerParty(this.#readersMax);
  }

  #findReader(orgId: string): Reader | undefined {
    const hasShareLeft = this.#hasShareLeft(orgId);
    let found: Reader | undefined;
    for (const reader of this.#readers) {
      if (!reader.hasRoom || !(hasShareLeft || reader.serves(orgId))) continue;
      if (reader.load < (found?.load ?? Infinity)) found = reader;
    }
    return found;
  }

  #start(): Reader {
    const reader = new Reader(this.#launch, {
      onAnswer: (orgId) => {
        this.#waiting.endTurn(orgId);
        this.#dispatch();
      },
      onSlow: (slow) => this.#takeBack(slow.takeWaiting()),
      onClose: (gone, orphans, orgId) => {
        this.#readers.delete(gone);
        this.#putBack(orphans);
        this.#waiting.endTurn(orgId);
        this.#takeBack([]);
      },
    });
    this.#readers.add(reader);
    return reader;
  }

  #takeBack(jobs: readonly ReadJob[]): void {
    this.#putBack(jobs);
    if (this.#isClosed) for (const job of this.#waiting.drain()) job.rejectUndone();
    else this.#dispatch();
  }

  #putBack(jobs: readonly ReadJob[]): void {
    // The last one to be put back is next, so the order is reversed.
    const orgIds = new Set(jobs.map(({ orgId }) => orgId).reverse());
    for (const orgId of orgIds) {
      this.#waiting.putBack(
        orgId,
        jobs.filter((job) => job.orgId === orgId),
      );
    }
  }
}
