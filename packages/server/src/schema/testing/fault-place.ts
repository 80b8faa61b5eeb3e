import type { AppError } from "../../kernel/errors.js";
import type { Migration, MigrationService } from "../index.js";
import type { SchemaDatabase } from "../ports.js";

/** How a run ended: the migration as it was recorded, why it was refused, or by the death of its process. */
export type FaultyEnd = Migration | AppError | "died";

/** A run of a migration by a process that may die. */
export interface FaultyRun {
  /** The process has begun to change the database, or has ended without. */
  readonly begun: Promise<void>;
  readonly ended: Promise<FaultyEnd>;
}

/** What is told to a process that may die. */
export interface FaultyOrder {
  readonly id: string;
  readonly acceptDataLoss: boolean;
  /** The process dies before the engine has seen this statement of it, from 0. */
  readonly statement: number;
  /** Whether it stands still for a moment once it has begun, so that others come to wait for it. */
  readonly isSlow: boolean;
}

/** A row, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** One statement after the other. */
export type Query = (sql: string) => Promise<readonly Row[]>;

/** A database of one engine with the data source `shop`, and processes that migrate it and may die. */
export interface FaultPlace extends AsyncDisposable {
  readonly database: SchemaDatabase;
  /** The service of a process that lives. Asked for anew after each run: it may be another process. */
  readonly service: MigrationService;
  /** The connection of somebody else, who waits for locks. */
  readonly query: Query;
  apply(order: FaultyOrder): FaultyRun;
  /** Has somebody hold a lock, until this is disposed of, for longer than a migration waits. */
  hold(table: string, random: () => number): Promise<AsyncDisposable>;
  /** An expression for the value of a column as text. */
  readonly asText: (column: string) => string;
  /** Whether two such texts say the same value. */
  readonly isSame: (one: string, other: string) => boolean;
  /** @throws when the engine finds its own files or references damaged. */
  check(): Promise<void>;
}
