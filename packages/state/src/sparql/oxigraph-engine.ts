import { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import {
  SPARQL_ANSWER_BYTES_MAX,
  SPARQL_MEMORY_BYTES_MAX,
  SPARQL_PROCESSES_MAX,
  SPARQL_QUADS_MAX,
  SPARQL_QUERIES_MAX,
  SPARQL_QUERY_MS_MAX,
  SPARQL_WAIT_MS,
} from "../limits.js";
import type { QueryAnswer, SparqlEngine, StoredDataset } from "../ports.js";
import { QueryProcess } from "./query-process.js";

export interface EngineLimits {
  /** Quads that one query may load. */
  readonly quadsMax: number;
  /** Datasets of up to this many quads are loaded as a whole, for the benefit of later queries. */
  readonly wholeQuadsMax: number;
  /** Time limit of a query, in ms. */
  readonly queryMs: number;
  readonly answerBytesMax: number;
  /** Limit of a query process's resident memory, in bytes. */
  readonly memoryBytesMax: number;
  /** Queued queries per organization. */
  readonly queriesMax: number;
  /** Concurrent queries, each in a process of its own. */
  readonly processesMax: number;
  /** How long a query may wait in its queue, in ms. */
  readonly waitMs: number;
  /** How long an idle process is retained, in ms. */
  readonly idleMs: number;
}

const LIMITS: EngineLimits = {
  quadsMax: SPARQL_QUADS_MAX,
  wholeQuadsMax: 20_000,
  queryMs: SPARQL_QUERY_MS_MAX,
  answerBytesMax: SPARQL_ANSWER_BYTES_MAX,
  memoryBytesMax: SPARQL_MEMORY_BYTES_MAX,
  queriesMax: SPARQL_QUERIES_MAX,
  processesMax: SPARQL_PROCESSES_MAX,
  waitMs: SPARQL_WAIT_MS,
  idleMs: 60_000,
};

/**
 * Evaluates SPARQL with Oxigraph (https://github.com/oxigraph/oxigraph), an optional package, in
 * child processes that are started on demand. A process loads the quads that match a query's
 * patterns and keeps them for the next query on the same dataset.
 */
export class OxigraphEngine implements SparqlEngine {
  readonly #limits: EngineLimits;
  readonly #packageName: string;
  /** Idle processes, the most recently used last. */
  readonly #free: QueryProcess[] = [];
  /** Queued and running queries. */
  readonly #asked = new Set<Promise<unknown>>();
  readonly #semaphore: FairSemaphore;
  #idle: NodeJS.Timeout | undefined;

  /** @param packageName the package from which the engine is imported. */
  constructor(limits: Partial<EngineLimits> = {}, packageName = "oxigraph") {
    this.#limits = { ...LIMITS, ...limits };
    this.#packageName = packageName;
    const { processesMax: slotsMax, queriesMax: waitingMax, waitMs } = this.#limits;
    this.#semaphore = new FairSemaphore({ slotsMax, waitingMax, waitMs, name: "SPARQL queries" });
  }

  async query(dataset: StoredDataset, sparql: string): Promise<QueryAnswer> {
    const answer = this.#semaphore.run(dataset.orgId, () => this.#run(dataset, sparql));
    this.#asked.add(answer);
    try {
      return await answer;
    } finally {
      this.#asked.delete(answer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#asked.size > 0) await Promise.allSettled(this.#asked);
    await this.#stop();
  }

  async #run(dataset: StoredDataset, sparql: string): Promise<QueryAnswer> {
    clearTimeout(this.#idle);
    const process = this.#takeProcess(dataset);
    try {
      return await process.query(dataset, sparql, this.#limits.queryMs);
    } finally {
      if (!process.hasEnded) this.#free.push(process);
      this.#idle = setTimeout(() => void this.#stop(), this.#limits.idleMs).unref();
    }
  }

  /** Prefers a process that has the dataset loaded, then any idle process, then a new one. */
  #takeProcess({ roots }: StoredDataset): QueryProcess {
    const alive = this.#free.filter(({ hasEnded }) => !hasEnded);
    const chosen = alive.find(({ root }) => root === roots.spog) ?? alive.at(-1);
    this.#free.splice(0, Infinity, ...alive.filter((one) => one !== chosen));
    const { quadsMax, wholeQuadsMax, answerBytesMax, memoryBytesMax } = this.#limits;
    const limits = { quadsMax, wholeQuadsMax, answerBytesMax, memoryBytesMax };
    const settings = { packageName: this.#packageName, ...limits };
    return chosen ?? new QueryProcess(settings);
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle);
    await Promise.all(this.#free.splice(0).map((process) => process.end()));
  }
}
