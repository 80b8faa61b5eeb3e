import { StatementError, type StatementResult } from "../../plans/ports.js";
import { Job, type JobLimits } from "./job.js";
import type { AdmittedStatement, ReadTask } from "./protocol.js";
import { Reader, type ReadJob } from "./reader.js";
import type { ChildLaunch } from "./statement-process.js";

/** Reads that may wait for a reader; more mean that the data source has long stopped keeping up. */
const WAITING_JOBS_MAX = 10_000;

/**
 * Runs reads on a few processes, started when they are needed. Usually one suffices, being given
 * many statements at a time. When one of them takes long, those behind it move to another process:
 * a read may be begun twice.
 */
export class ReaderPool {
  readonly #launch: ChildLaunch;
  readonly #readersMax: number;
  readonly #readers = new Set<Reader>();
  #waiting: ReadJob[] = [];
  #isClosed = false;

  constructor(launch: ChildLaunch, readersMax: number) {
    this.#launch = launch;
    this.#readersMax = readersMax;
  }

  /** @throws StatementError; the statement runs nowhere any more then. */
  read(statement: AdmittedStatement, limits: JobLimits): Promise<StatementResult | undefined> {
    const task: ReadTask = { kind: "read", statement };
    const job = new Job(task, limits, (stopped) => this.#stop(stopped));
    if (this.#waiting.length >= WAITING_JOBS_MAX) {
      job.reject(new StatementError("rolled_back", "Too many statements wait for the data source"));
    } else {
      this.#waiting.push(job);
      this.#dispatch();
    }
    return job.result;
  }

  /** Ends every process; what still runs is lost. */
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
    this.#waiting = this.#waiting.filter((waiting) => waiting !== job);
    job.rejectUndone();
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const reader = this.#findReader();
      const job = reader === undefined ? undefined : this.#waiting.shift();
      if (reader === undefined || job === undefined) return;
      reader.send(job);
    }
  }

  #findReader(): Reader | undefined {
    let found: Reader | undefined;
    let liveReaders = 0;
    for (const reader of this.#readers) {
      if (!reader.isClosing) liveReaders += 1;
      if (reader.hasRoom && reader.load < (found?.load ?? Infinity)) found = reader;
    }
    return found ?? (liveReaders < this.#readersMax ? this.#start() : undefined);
  }

  #start(): Reader {
    const reader = new Reader(this.#launch, {
      onAnswer: () => this.#dispatch(),
      onSlow: (slow) => this.#takeBack(slow.takeWaiting()),
      onClose: (gone, orphans) => {
        this.#readers.delete(gone);
        this.#takeBack(orphans);
      },
    });
    this.#readers.add(reader);
    return reader;
  }

  #takeBack(jobs: readonly ReadJob[]): void {
    this.#waiting.unshift(...jobs);
    if (this.#isClosed) for (const job of this.#waiting.splice(0)) job.rejectUndone();
    else this.#dispatch();
  }
}
