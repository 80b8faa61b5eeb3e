import type { AppError } from "@steward/kernel/errors.js";
import type { Migration, MigrationService } from "../index.js";
import type { SchemaDatabase } from "../ports.js";

/**
 * Result of a run: the recorded migration, the error that refused it, or the death of its process.
 */
export type FaultyEnd = Migration | AppError | "died";

/** A run of a migration by a process that may be killed. */
export interface FaultyRun {
  /** Resolves when the process has begun to change the database, or has ended without. */
  readonly begun: Promise<void>;
  readonly ended: Promise<FaultyEnd>;
}

/** When to kill the process. */
export interface FaultyOrder {
  readonly id: string;
  readonly acceptDataLoss: boolean;
  /** The process dies before it sends this statement to the engine, counted from 0. */
  readonly statement: number;
  /** Whether the process pauses after it has begun, so that other sessions queue behind it. */
  readonly isSlow: boolean;
}

/** A row, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement after the other. */
export type Query = (sql: string) => Promise<readonly Row[]>;

/**
 * A database of one engine, and processes that migrate it as the data source `shop` and may be
 * killed.
 */
export interface FaultPlace extends AsyncDisposable {
  readonly database: SchemaDatabase;
  /**
   * The service in a process that is not killed. Read it again after each run, because the process
   * may have changed.
   */
  readonly service: MigrationService;
  /** Another session, which waits for locks. */
  readonly query: Query;
  apply(order: FaultyOrder): FaultyRun;
  /** Holds a lock from another session until disposed of, longer than a migration waits. */
  hold(table: string, random: () => number): Promise<AsyncDisposable>;
  /** An SQL expression for a column's value as text. */
  readonly asText: (column: string) => string;
  /** Whether two such texts stand for the same value. */
  readonly isSame: (one: string, other: string) => boolean;
  /** @throws when the engine's own integrity check fails. */
  check(): Promise<void>;
}
