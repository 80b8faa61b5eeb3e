import { systemClock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { type CopiedState, copyToOrigin } from "@steward/state";
import {
  COPIED_TABLES,
  RowSum,
  type CopiedRow,
  type CopiedTable,
} from "../storage/copied-table.js";
import { Database } from "../storage/postgres/database.js";
import { assertEmpty, deleteRows, insertRows, readRows } from "../storage/postgres/import.js";
import { migrate } from "../storage/postgres/migrate.js";
import { PostgresOrigin } from "../storage/postgres/state/state-origin.js";
import type { StorePlaces } from "../storage/sqlite/backup.js";
import { SqliteBlockStores } from "../storage/sqlite/state/block-stores.js";
import { openSqliteExport, type SqliteExport } from "../storage/sqlite/export.js";

/** Rows of one statement. */
const ROWS_MAX = 500;

/** The copied and verified data. */
export interface Copied {
  readonly plans: number;
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The state of each organization. */
  readonly states: Readonly<Record<string, CopiedState>>;
}

/**
 * Copies a stopped SQLite store and its state into an empty PostgreSQL database, then reads
 * everything back and compares it: every table by count and hash, the state block by block. The
 * source is only read.
 * @param onProgress gets the numbers of copied and total rows and organizations' states.
 * @throws AppError `STORE_UNAVAILABLE` when a server owns the source or the target cannot be
 * reached, `INVALID_ARGUMENT` when the target is not empty, `STATE_CORRUPTED` when a block of the
 * state is missing or damaged, `INTERNAL` when the copy is not equal.
 */
export async function copyStore(
  from: StorePlaces,
  to: string,
  onProgress: (done: number, total: number) => void,
): Promise<Copied> {
  using source = openSqliteExport(from.store);
  const stores = new SqliteBlockStores(from.state, systemClock);
  const organizations = stores.organizations();
  await using target = new Database(to);
  await migrate(target);
  await assertEmpty(target);
  const counts = COPIED_TABLES.map((table) => source.rowCount(table));
  const total = counts.reduce((sum, count) => sum + count, organizations.length);
  let done = 0;
  const advance = (count: number): void => {
    done += count;
    onProgress(done, total);
  };
  const rows: Record<string, number> = {};
  for (const table of COPIED_TABLES)
    rows[table.name] = await copyTable(source, target, table, advance);
  const states: Record<string, CopiedState> = {};
  const origin = new PostgresOrigin(target);
  for (const orgId of organizations) {
    using store = stores.open(orgId, false);
    if (store !== undefined) states[orgId] = await copyToOrigin(store, origin, orgId);
    advance(1);
  }
  return { plans: rows["plans"] ?? 0, rows, states };
}

async function copyTable(
  source: SqliteExport,
  target: Database,
  table: CopiedTable,
  advance: (count: number) => void,
): Promise<number> {
  if (table.hasRows === true) await deleteRows(target, table);
  const sent = new RowSum();
  let page: CopiedRow[] = [];
  const flush = async (): Promise<void> => {
    const rows = page;
    page = [];
    if (rows.length === 0) return;
    await target.transaction((connection) => insertRows(connection, table, rows));
    advance(rows.length);
  };
  for (const row of source.rows(table)) {
    sent.add(row);
    page.push(row);
    if (page.length === ROWS_MAX) await flush();
  }
  await flush();
  const found = new RowSum();
  for await (const rows of readRows(target, table)) for (const row of rows) found.add(row);
  if (!found.equals(sent)) throw notEqual(`table ${table.name}`);
  return sent.count;
}

function notEqual(what: string): AppError {
  return new AppError(
    "INTERNAL",
    `The copy of ${what} is not equal to the original: empty the PostgreSQL database, copy again`,
  );
}
