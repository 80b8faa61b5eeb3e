/** Work done by a store, counted from its start. */
export interface StoreCounters {
  /** Transactions that have written something. */
  readonly commits: number;
  /** Bytes written: to files on SQLite, to the write-ahead log on PostgreSQL. */
  readonly bytes: number;
}

/** A store that the server under measurement keeps its plans in. */
export interface BenchStore extends AsyncDisposable {
  /** For `SERVICE_DATABASE_URL`. */
  readonly url: string;
  /** @param pid of the server, which serves metrics at this URL. */
  counters(pid: number, metricsUrl: string): Promise<StoreCounters>;
  /**
   * Steps a second that a bare loop makes durable: the rows that the served run wrote, once more.
   * The server has been stopped. @param group plans under way at once.
   */
  floor(group: number): Promise<number>;
}
