import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/errors.js";
import {
  blankLabels,
  type Hash,
  jsonQuad,
  type JsonQuad,
  nQuad,
  type Quad,
  type QueryAnswer,
  type Snapshot,
  type SparqlEngine,
} from "../../state/index.js";
import type { WorkerMessage, WorkerRequest, WorkerSettings } from "./worker-protocol.js";

/** How much the engine may be asked. */
export interface EngineLimits {
  /** Quads of a dataset: the engine holds them all in memory, some 600 bytes each. */
  readonly quadsMax: number;
  /** How long a query may run, in ms. */
  readonly queryMs: number;
  readonly answerBytesMax: number;
  /** Queries that wait or run. */
  readonly queriesMax: number;
  /** How long the thread is kept after the last query, in ms. */
  readonly idleMs: number;
}

const LIMITS: EngineLimits = {
  quadsMax: 200_000,
  queryMs: 10_000,
  answerBytesMax: 8 * 1024 * 1024,
  queriesMax: 50,
  idleMs: 60_000,
};

/** Quads that are sent at once; in between, the event loop has its turn. */
const PIECE_QUADS = 2000;

/**
 * SPARQL by Oxigraph (https://github.com/oxigraph/oxigraph), an optional package, in a thread that is started by
 * the first query. The thread keeps the dataset that was asked last, so that asking again costs the query only.
 */
export class OxigraphEngine implements SparqlEngine {
  readonly #limits: EngineLimits;
  readonly #packageName: string;
  #thread: QueryThread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param packageName where the engine is imported from. */
  constructor(limits: Partial<EngineLimits> = {}, packageName = "oxigraph") {
    this.#limits = { ...LIMITS, ...limits };
    this.#packageName = packageName;
  }

  async query(snapshot: Snapshot, sparql: string): Promise<QueryAnswer> {
    const { queriesMax, quadsMax } = this.#limits;
    if (snapshot.size > quadsMax) {
      throw new AppError(
        "LIMIT_EXCEEDED",
        `SPARQL is answered for datasets of ${quadsMax} quads at most, and this one has ` +
          `${snapshot.size}: ask with patterns`,
      );
    }
    if (this.#waiting >= queriesMax) {
      throw new AppError("OVERLOADED", "Too many queries are waiting", { retryAfterMs: 1000 });
    }
    this.#waiting += 1;
    const answer = this.#last.then(() => this.#run(snapshot, sparql));
    // The next one begins whatever becomes of this one.
    this.#last = answer.catch(() => undefined);
    try {
      return await answer;
    } finally {
      this.#waiting -= 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    await this.#stop();
  }

  async #run(snapshot: Snapshot, sparql: string): Promise<QueryAnswer> {
    clearTimeout(this.#idle);
    const thread = (this.#thread ??= new QueryThread({
      packageName: this.#packageName,
      answerBytesMax: this.#limits.answerBytesMax,
    }));
    try {
      await thread.hold(snapshot);
      return await thread.query(sparql, this.#limits.queryMs);
    } catch (error) {
      if (thread.hasEnded) this.#thread = undefined;
      throw error;
    } finally {
      this.#idle = setTimeout(() => void this.#stop(), this.#limits.idleMs).unref();
    }
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }
}

/** One run of the thread. It takes one request at a time. */
class QueryThread {
  hasEnded = false;
  readonly #worker: Worker;
  readonly #ready: Promise<unknown>;
  #root: Hash | undefined;

  constructor(settings: WorkerSettings) {
    const url = new URL("./sparql-worker.js", import.meta.url);
    this.#worker = new Worker(url, { workerData: settings });
    this.#worker.once("exit", () => (this.hasEnded = true));
    this.#ready = this.#next();
    this.#ready.catch(() => undefined);
  }

  /** Has the thread hold this dataset. Equal roots are equal datasets. */
  async hold(snapshot: Snapshot): Promise<void> {
    await this.#ready;
    if (this.#root === snapshot.roots.spog) return;
    this.#root = undefined;
    this.#post({ kind: "begin" });
    let piece = newPiece();
    for (const quad of snapshot.match()) {
      add(piece, quad);
      if (piece.size < PIECE_QUADS) continue;
      this.#post({ kind: "piece", text: piece.text, quads: piece.quads });
      piece = newPiece();
      await nextTurn();
    }
    this.#post({ kind: "piece", text: piece.text, quads: piece.quads });
    this.#root = snapshot.roots.spog;
  }

  async query(sparql: string, timeoutMs: number): Promise<QueryAnswer> {
    const next = this.#next();
    const overdue = new AbortController();
    const timer = setTimeout(() => {
      overdue.abort();
      void this.end();
    }, timeoutMs);
    this.#post({ kind: "query", sparql });
    try {
      const message = await next;
      if (message.kind === "answered") return message.answer;
      if (message.kind === "failed") throw new AppError(message.code, message.message);
      throw new AppError("INTERNAL", "The query thread said that it was ready twice");
    } catch (error) {
      if (!overdue.signal.aborted) throw error;
      const seconds = timeoutMs / 1000;
      throw new AppError(
        "DEADLINE_EXCEEDED",
        `The query took more than ${seconds} s: ask for less`,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    await this.#worker.terminate();
  }

  #post(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  #next(): Promise<WorkerMessage> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        act();
      };
      const fail = (cause: unknown): void => {
        this.hasEnded = true;
        const message = "The query thread has ended: the query may need too much memory";
        settle(() => {
          reject(new AppError("STORE_UNAVAILABLE", message, { cause, retryAfterMs: 1000 }));
        });
      };
      const onMessage = (message: WorkerMessage): void => {
        settle(() => {
          resolve(message);
        });
      };
      const onError = (error: unknown): void => fail(error);
      const onExit = (): void => fail(undefined);
      this.#worker.once("message", onMessage).once("error", onError).once("exit", onExit);
    });
  }
}

interface Piece {
  size: number;
  text: string;
  readonly quads: JsonQuad[];
}

function newPiece(): Piece {
  return { size: 0, text: "", quads: [] };
}

function add(piece: Piece, quad: Quad): void {
  piece.size += 1;
  if (blankLabels(quad).length > 0) piece.quads.push(jsonQuad(quad));
  else piece.text += nQuad(quad);
}
