import { AppError } from "../../kernel/errors.js";
import {
  STATE_DOCUMENT_MEMORY_BYTES_MAX,
  STATE_DOCUMENT_MS_MAX,
  STATE_DOCUMENTS_MAX,
} from "../../kernel/limits.js";
import type { RdfDocument, RdfFormat } from "../../state/index.js";
import { type DocumentBytes, ReadingProcess } from "./reading-process.js";

/** What a reader may use. */
export interface ReaderLimits {
  /** How long one document may take once it has come, in ms. */
  readonly documentMs: number;
  /** The maximum heap size of a process, in bytes. */
  readonly memoryBytesMax: number;
  /** Documents that are read at once, each in a process of its own. */
  readonly processesMax: number;
  /** Documents that are read or wait. */
  readonly documentsMax: number;
  /** How long processes are kept after the last document, in ms. */
  readonly idleMs: number;
}

const LIMITS: ReaderLimits = {
  documentMs: STATE_DOCUMENT_MS_MAX,
  memoryBytesMax: STATE_DOCUMENT_MEMORY_BYTES_MAX,
  // One document that takes long holds nobody up but those behind two of them.
  processesMax: 2,
  documentsMax: STATE_DOCUMENTS_MAX,
  idleMs: 60_000,
};

/** Reads documents beside the event loop, in processes that are started as there is something to read. */
export class DocumentReader implements AsyncDisposable {
  readonly #limits: ReaderLimits;
  readonly #busy = new Set<ReadingProcess>();
  /** Processes that nobody uses; some of them may have ended. */
  readonly #free: ReadingProcess[] = [];
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: Partial<ReaderLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** @throws AppError as {@link RdfCodec.read}, and `OVERLOADED` when too many documents wait. */
  async read(content: DocumentBytes, format: RdfFormat): Promise<RdfDocument> {
    const { processesMax, documentsMax } = this.#limits;
    if (this.#running < processesMax) {
      this.#running += 1;
    } else {
      if (this.#running + this.#waiting.length >= documentsMax) {
        throw new AppError("OVERLOADED", "Too many documents wait to be read", {
          retryAfterMs: 1000,
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await this.#readNow(content, format);
    } finally {
      // Whoever waits takes the place of this one.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
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
  return new AppError("STORE_UNAVAILABLE", "The server is stopping", { retryAfterMs: 1000 });
}
