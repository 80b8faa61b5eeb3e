import { workerData } from "node:worker_threads";
import type { StatementSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import { PackedRecords } from "../audit/packed-records.js";
import { rowBytesOf } from "../column-values.js";
import { openConnection, storeUnreadable, type SqliteValue } from "../connection.js";
import type { PackedRows, Query, ReadCalls, ReadOrder } from "./read-calls.js";

/** Rows between two looks at the clock. */
const ROWS_PER_LOOK = 64;

// The owner passes this, see StoreReads.
const { path } = workerData as { readonly path: string };
const connection = openConnection(path, true);
const packed = new PackedRecords(connection);
const statements = new Map<string, StatementSyncInstance>();
let endMs = 0;

connection.function("is_in_time", { deterministic: false }, () => {
  requireTime();
  return 1;
});

serveThread<ReadCalls>({ read: (order) => readTogether(order) }, () => {
  connection.close();
});

function readTogether(order: ReadOrder): readonly PackedRows[] {
  const { queries, timeMs, bytesMax, isCut } = order;
  endMs = performance.now() + timeMs;
  const room = { bytesLeft: bytesMax, isCut };
  try {
    if (queries.length === 1) return queries.map((query) => rowsOf(query, room));
    // A transaction that reads sees one state of the store.
    connection.exec("BEGIN");
    try {
      return queries.map((query) => rowsOf(query, room));
    } finally {
      connection.exec("COMMIT");
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The function fails a statement with an error of the engine.
    if (performance.now() >= endMs) throw tookTooLong();
    throw storeUnreadable(error);
  } finally {
    packed.forget();
  }
}

function rowsOf(query: Query, room: { bytesLeft: number; readonly isCut: boolean }): PackedRows {
  const statement = prepared(query.sql);
  const columns = statement.columns().map(({ name }) => name);
  const values: SqliteValue[] = [];
  let [rows, isCut] = [0, false];
  // The statement returns arrays of values.
  for (const row of statement.iterate(...query.params) as IterableIterator<SqliteValue[]>) {
    room.bytesLeft -= rowBytesOf(row);
    if (room.bytesLeft < 0) {
      if (!room.isCut) throw tooLarge();
      // A row alone is always returned, however large.
      isCut = rows > 0;
      if (isCut) break;
    }
    rows += 1;
    values.push(...row);
    if (rows % ROWS_PER_LOOK === 0) requireTime();
  }
  return { columns, values, isCut };
}

function prepared(sql: string): StatementSyncInstance {
  let statement = statements.get(sql);
  if (statement === undefined) {
    statement = connection.prepare(sql);
    statement.setReturnArrays(true);
    statements.set(sql, statement);
  }
  return statement;
}

function requireTime(): void {
  if (performance.now() >= endMs) throw tookTooLong();
}

function tookTooLong(): AppError {
  return new AppError(
    "OVERLOADED",
    "The read of the store took too long and was stopped: ask for less at once, or try again",
    { retryAfterMs: 1000 },
  );
}

function tooLarge(): AppError {
  return new AppError(
    "LIMIT_EXCEEDED",
    "The rows are too large to be read at once: ask for a smaller page or a shorter time",
  );
}
