import type { BenchServer } from "./server.js";

/** Counters of a store's work since its start. */
export interface StoreCounters {
  /** Transactions that wrote something. */
  readonly commits: number;
  /** Bytes written: to files on SQLite, to the write-ahead log on PostgreSQL. */
  readonly bytes: number;
  /** CPU time of the store's own processes, in ms; absent when it has none. */
  readonly cpuMs?: number;
  /** The part of the bytes for memory: entries, their words, vectors and codes. */
  readonly memoryBytes?: number;
  /** The part of the bytes for full-page images after a checkpoint. */
  readonly pageImageBytes?: number;
}

/** The store of the servers under measurement. */
export interface BenchStore extends AsyncDisposable {
  /** For `SERVICE_DATABASE_URL`. */
  readonly url: string;
  counters(servers: readonly BenchServer[]): Promise<StoreCounters>;
  /**
   * Steps per second that a bare loop makes durable by writing the rows of the served run again.
   * The servers have been stopped. @param group concurrent plans.
   */
  floor(group: number): Promise<number>;
}
