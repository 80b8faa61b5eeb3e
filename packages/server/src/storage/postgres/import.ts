import { AppError } from "@steward/kernel/errors.js";
import type { CopiedColumn, CopiedRow, CopiedTable } from "../copied-table.js";
import type { Connection, Database } from "./database.js";

/** Rows written or read at once. */
const ROWS_MAX = 1000;

/** @throws AppError `INVALID_ARGUMENT` when the store already has plans, usage, memory or state. */
export async function assertEmpty(db: Database): Promise<void> {
  for (const table of ["plans", "usage_events", "memory_entries", "state_refs", "audit_blocks"]) {
    const rows = await db.query(`SELECT FROM ${table} LIMIT 1`);
    if (rows.length === 0) continue;
    throw new AppError(
      "INVALID_ARGUMENT",
      `The PostgreSQL store already has rows in ${table}: copy into an empty database`,
    );
  }
}

/** Deletes the rows that a migration has made. */
export async function deleteRows(db: Database, { name }: CopiedTable): Promise<void> {
  await db.query(`DELETE FROM ${name}`);
}

/** Inserts rows into a table. */
export async function insertRows(
  connection: Connection,
  { name, columns }: CopiedTable,
  rows: readonly CopiedRow[],
): Promise<void> {
  const places = columns.map((_column, index) => `$${index + 1}::text[]`).join(", ");
  await connection.query(
    `INSERT INTO ${name} (${columns.map((column) => column.name).join(", ")})
     SELECT ${columns.map(valueOf).join(", ")}
     FROM unnest(${places}) AS v (${columns.map((column) => column.name).join(", ")})`,
    columns.map((_column, index) => rows.map((row) => row[index] ?? null)),
  );
}

function valueOf({ name, type }: CopiedColumn): string {
  if (type === "bytea") return `decode(v.${name}, 'hex')`;
  if (type === "timestamptz") return `to_timestamp(v.${name}::bigint / 1e3)`;
  return `v.${name}::${type}`;
}

/** Every row of a table, in its copied form. */
export async function* readRows(
  db: Database,
  { name, columns }: CopiedTable,
): AsyncGenerator<readonly CopiedRow[]> {
  const values = columns.map((column, index) => `${textOf(column)} AS c${index}`).join(", ");
  // Nobody else uses the database yet, so physical row order is stable between the pages.
  for (let page = 0; ; page += 1) {
    const rows = await db.query<Record<string, string | null>>(
      `SELECT ${values} FROM ${name} ORDER BY ctid LIMIT ${ROWS_MAX} OFFSET ${page * ROWS_MAX}`,
    );
    yield rows.map((row) => Object.values(row));
    if (rows.length < ROWS_MAX) return;
  }
}

function textOf({ name, type }: CopiedColumn): string {
  if (type === "bytea") return `encode(${name}, 'hex')`;
  if (type === "timestamptz") return `((extract(epoch FROM ${name}) * 1000)::bigint)::text`;
  return `${name}::text`;
}
