import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import type { Readable } from "./row-type.js";
import { onPostgres, raw, sql, type Sql } from "./sql.js";

/** The party of reads that no organization has asked for. */
export const NO_PARTY = "";

/**
 * The tables of a store, for statements that both engines understand. Every method may reject with
 * AppError `STORE_UNAVAILABLE`.
 */
export interface SqlStore {
  /** The one row that a key finds. */
  row<R>(query: Sql, type: Readable<R>): Promise<R | undefined>;

  /**
   * All rows of a query.
   * @param party the organization that asks, or {@link NO_PARTY}: SQLite reads fairly by party.
   */
  rows<R>(party: string, query: Sql, type: Readable<R>): Promise<readonly R[]>;

  /**
   * Runs statements in order and in one transaction. The unit is durable when the method resolves.
   * @returns false, with nothing changed, when a statement has changed another number of rows than
   * it was expected to.
   */
  write(unit: readonly (Sql | ExpectingSql)[], options?: WriteOptions): Promise<boolean>;
}

/** A statement that has to change this number of rows. */
export interface ExpectingSql {
  readonly statement: Sql;
  readonly expect: number;
}

export interface WriteOptions {
  /** The operation whose effect the unit is. Its record becomes durable with the unit. */
  readonly operation?: RecordedOperation | undefined;
  /**
   * For a unit that changes nothing more when it runs again. When it is unknown whether an attempt took
   * effect, because a server was lost, the unit runs again; if its expectation is not met then, this
   * tells whether the effect is that of the earlier attempt. Absent: an unknown outcome is an error.
   */
  readonly isOurs?: () => Promise<boolean>;
}

/** A statement that has to change one row. */
export function one(statement: Sql): ExpectingSql {
  return { statement, expect: 1 };
}

/** Of a unit whose effect can only be that of an earlier attempt of the same call. */
export function always(): Promise<boolean> {
  return Promise.resolve(true);
}

/**
 * Waits until no other server holds the organization's row in a table of locks, and holds it until the unit ends.
 * Not needed on SQLite, whose units follow one another.
 */
export function locking(table: "retention_locks" | "usage_ledgers", orgId: string): readonly Sql[] {
  return [
    sql`INSERT INTO ${raw(table)} (org_id) VALUES (${orgId}) ON CONFLICT DO NOTHING`,
    sql`SELECT 1 FROM ${raw(table)} WHERE org_id = ${orgId} FOR UPDATE`,
  ].map(onPostgres);
}
