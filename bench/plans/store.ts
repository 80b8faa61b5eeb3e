import type { BenchServer } from "./server.js";

/** Work done by a store, counted from its start. */
export interface StoreCounters {
  /** Transactions that have written something. */
  readonly commits: number;
  /** Bytes written: to files on SQLite, to the write-ahead log on PostgreSQL. */
  readonly bytes: number;
  /** CPU time of the store's own processes, in ms; absent when it has none. */
  readonly cpuMs?: number;
  /** What of the bytes was written for memory: entries, their words, vectors and codes. */
  readonly memoryBytes?: number;
  /** What of the bytes were images of pages that a checkpoint had left clean. */
  readonly pageImageBytes?: number;
}

/** A store that the servers under measurement keep their plans in. */
export interface BenchStore extends AsyncDisposable {
  /** For `SERVICE_DATABASE_URL`. */
  readonly url: string;
  counters(servers: readonly BenchServer[]): Promise<StoreCounters>;
  /**
   * Steps a second that a bare loop makes durable: the rows that the served run wrote, once more.
   * The servers have been stopped. @param group plans under way at once.
   */
  floor(group: number): Promise<number>;
}
