import { setImmediate as nextTurn } from "node:timers/promises";
import { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import { AppError } from "@steward/kernel/errors.js";
import type { SqliteRow, SqliteValue, StatementCache } from "../connection.js";
import {
  STORE_READ_BYTES_MAX,
  STORE_READ_MEBIBYTES,
  STORE_READ_MS,
  STORE_READ_WAIT_MS,
  STORE_READS_MAX,
  STORE_READS_WAITING_MAX,
} from "./limits.js";
import type { PackedRows, Query, ReadCalls } from "./read-calls.js";

/** The party of reads that no organization has asked for. */
export const SYSTEM = "";

/** How much longer than its time limit a read may take before its thread is ended, in ms. */
const GRACE_MS = 2_000;

/**
 * Reads of committed rows. One row by its key is read at once, on the caller's thread. All else is
 * read in threads with connections of their own, fairly by organization, within limits of time and
 * memory: the event loop never waits for a list, however many are asked for at once.
 */
export class StoreReads implements AsyncDisposable {
  readonly #path: string;
  readonly #byKey: StatementCache;
  readonly #timeMs: number;
  readonly #turns = new FairSemaphore({
    slotsMax: STORE_READS_MAX,
    waitingMax: STORE_READS_WAITING_MAX,
    waitMs: STORE_READ_WAIT_MS,
    name: "reads of the store",
  });
  readonly #idle: WorkerThread<ReadCalls>[] = [];
  readonly #threads = new Set<WorkerThread<ReadCalls>>();
  #isClosed = false;

  /** @param byKey on a connection to the same file. @param timeMs time limit of one read. */
  constructor(path: string, byKey: StatementCache, timeMs: number = STORE_READ_MS) {
    this.#path = path;
    this.#timeMs = timeMs;
    this.#byKey = byKey;
  }

  /** The one row that has this key. @throws AppError `STORE_UNAVAILABLE`. */
  get<Row extends object = SqliteRow>(
    sql: string,
    ...params: readonly SqliteValue[]
  ): Row | undefined {
    return this.#byKey.get<Row>(sql, ...params);
  }

  /**
   * All rows of a query; the caller knows its columns.
   * @param party the organization that asks, or {@link SYSTEM}.
   * @throws AppError `OVERLOADED` when too many reads wait, or this one takes too long;
   * `LIMIT_EXCEEDED` when the rows are too large; `STORE_UNAVAILABLE`.
   */
  async all<Row extends object = SqliteRow>(
    party: string,
    sql: string,
    ...params: readonly SqliteValue[]
  ): Promise<readonly Row[]> {
    const [packed] = await this.#read(party, [{ sql, params }]);
    // The caller knows the columns of its statement.
    return unpacked(packed) as readonly Row[];
  }

  /** The first row of a query that reads several, like {@link all}. */
  async first<Row extends object = SqliteRow>(
    party: string,
    sql: string,
    ...params: readonly SqliteValue[]
  ): Promise<Row | undefined> {
    const [row] = await this.all<Row>(party, sql, ...params);
    return row;
  }

  /**
   * The first rows of a query, up to this many bytes; the first row is always among them.
   * @throws AppError like {@link all}.
   */
  async page<Row extends object = SqliteRow>(
    party: string,
    bytesMax: number,
    sql: string,
    ...params: readonly SqliteValue[]
  ): Promise<{ readonly rows: readonly Row[]; readonly isCut: boolean }> {
    const [packed] = await this.#read(party, [{ sql, params }], bytesMax);
    // The caller knows the columns of its statement.
    return { rows: unpacked(packed) as readonly Row[], isCut: packed?.isCut === true };
  }

  /** The rows of several queries, which see one state of the store. Errors like {@link all}. */
  async together(
    party: string,
    queries: readonly Query[],
  ): Promise<readonly (readonly SqliteRow[])[]> {
    return (await this.#read(party, queries)).map(unpacked);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread[Symbol.asyncDispose]()));
  }

  /** @param cutAtBytes absent: rows of more than the limit are an error. */
  #read(
    party: string,
    queries: readonly Query[],
    cutAtBytes?: number,
  ): Promise<readonly PackedRows[]> {
    const order = {
      ...{ queries, timeMs: this.#timeMs },
      bytesMax: cutAtBytes ?? STORE_READ_BYTES_MAX,
      isCut: cutAtBytes !== undefined,
    };
    return new Promise((resolve, reject) => {
      const work = async (): Promise<void> => {
        const thread = this.#idleThread() ?? this.#started();
        await thread
          .call("read", order, { timeoutMs: this.#timeMs + GRACE_MS })
          .then(resolve, reject);
        // Otherwise the thread's next answer would often come in this turn of the event loop, and a
        // queue of reads would be answered in one turn.
        await nextTurn();
        // The place of a thread that is being ended is free only when its statement has ended.
        if (this.#threads.has(thread)) this.#idle.push(thread);
        else await thread.ended;
      };
      this.#turns.run(party, work).catch(reject);
    });
  }

  /** A thread that is still alive. */
  #idleThread(): WorkerThread<ReadCalls> | undefined {
    for (;;) {
      const thread = this.#idle.pop();
      if (thread === undefined || this.#threads.has(thread)) return thread;
    }
  }

  #started(): WorkerThread<ReadCalls> {
    if (this.#isClosed) throw stopping();
    const thread = new WorkerThread<ReadCalls>({
      url: new URL("./read-worker.js", import.meta.url),
      data: { path: this.#path },
      resourceLimits: { maxOldGenerationSizeMb: STORE_READ_MEBIBYTES },
      handlers: {},
      goneError: (cause) => {
        this.#threads.delete(thread);
        return this.#isClosed ? stopping() : interrupted(cause);
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

/** Reads for one's own use, also in another thread. */
export type CommittedReads = Pick<StoreReads, "get" | "all" | "page">;

/** The rows of a query, converted by `valueOf`. */
export async function readAll<Value>(
  reads: Pick<StoreReads, "all">,
  party: string,
  valueOf: (row: SqliteRow) => Value,
  sql: string,
  ...params: readonly SqliteValue[]
): Promise<readonly Value[]> {
  return (await reads.all(party, sql, ...params)).map(valueOf);
}

function unpacked(rows: PackedRows | undefined): readonly SqliteRow[] {
  const { columns, values } = rows ?? { columns: [], values: [], isCut: false };
  const found: SqliteRow[] = [];
  for (let at = 0; at < values.length; at += columns.length) {
    const row: Record<string, SqliteValue> = {};
    for (const [index, column] of columns.entries()) row[column] = values[at + index] ?? null;
    found.push(row);
  }
  return found;
}

function stopping(): AppError {
  return new AppError("STORE_UNAVAILABLE", "The server is stopping; send the request again", {
    retryAfterMs: 1000,
  });
}

function interrupted(cause: Error | undefined): AppError {
  return new AppError(
    "OVERLOADED",
    "The read of the store used too much time or memory and was stopped: ask for less at once, or try again",
    { retryAfterMs: 1000, ...(cause === undefined ? {} : { cause }) },
  );
}
