import { AppError } from "@steward/kernel/errors.js";
import { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import {
  STATE_DOCUMENT_MEMORY_BYTES_MAX,
  STATE_DOCUMENT_MS_MAX,
  STATE_DOCUMENTS_WAITING_MAX,
  STATE_WAIT_MS,
} from "../limits.js";
import type { RdfDocument, RdfFormat } from "../ports.js";
import { type DocumentBytes, ReadingProcess } from "./reading-process.js";

export interface ReaderLimits {
  /** Time limit for one document after it was received, in ms. */
  readonly documentMs: number;
  /** Maximum heap size of a process, in bytes. */
  readonly memoryBytesMax: number;
  /** Documents parsed concurrently, each in a process of its own. */
  readonly processesMax: number;
  /** Documents of one organization that wait. */
  readonly waitingMax: number;
  /** How long a document may wait for its turn, in ms. */
  readonly waitMs: number;
  /** How long idle processes are retained, in ms. */
  readonly idleMs: number;
}

const LIMITS: ReaderLimits = {
  documentMs: STATE_DOCUMENT_MS_MAX,
  memoryBytesMax: STATE_DOCUMENT_MEMORY_BYTES_MAX,
  // Of one organization one document is read at a time, so that another organization's never waits for it.
  processesMax: 2,
  waitingMax: STATE_DOCUMENTS_WAITING_MAX,
  waitMs: STATE_WAIT_MS,
  idleMs: 60_000,
};

/** Parses documents in child processes, which are started on demand. */
export class DocumentReader implements AsyncDisposable {
  readonly #limits: ReaderLimits;
  readonly #busy = new Set<ReadingProcess>();
  /** Idle processes; some of them may have exited. */
  readonly #free: ReadingProcess[] = [];
  readonly #semaphore: FairSemaphore;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: Partial<ReaderLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    const { processesMax: slotsMax, waitingMax, waitMs } = this.#limits;
    this.#semaphore = new FairSemaphore({ slotsMax, waitingMax, waitMs, name: "documents" });
  }

  /**
   * @param orgId Organizations take turns: the documents of one leave a process to the others.
   * @throws AppError as {@link RdfCodec.read}.
   */
  read(orgId: string, content: DocumentBytes, format: RdfFormat): Promise<RdfDocument> {
    return this.#semaphore.run(orgId, () => this.#readNow(content, format));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  async #readNow(content: DocumentBytes, format: RdfFormat): Promise<RdfDocument> {
    if (this.#isClosed) throw stopping();
    clearTimeout(this.#idle);
    const process = this.#process();
    this.#busy.add(process);
    try {
      return await process.read(content, format, this.#limits.documentMs);
    } finally {
      this.#busy.delete(process);
      this.#free.push(process);
      this.#idle = setTimeout(() => void this.#stop(), this.#limits.idleMs).unref();
    }
  }

  #process(): ReadingProcess {
    for (let one = this.#free.pop(); one !== undefined; one = this.#free.pop()) {
      if (!one.hasEnded) return one;
    }
    return new ReadingProcess(this.#limits.memoryBytesMax);
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle);
    const processes = [...this.#free.splice(0), ...(this.#isClosed ? this.#busy : [])];
    await Promise.all(processes.map((process) => process.end(stopping())));
  }
}

function stopping(): AppError {
  return new AppError("STORE_UNAVAILABLE", "The server is stopping; send the request again", {
    retryAfterMs: 1000,
  });
}
