import { freshDatabase } from "@steward/test-postgres";
import type pg from "pg";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { systemClock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { systemIds } from "@steward/kernel/ids.js";
import { MigrationService } from "../../index.js";
import type {
  FaultPlace,
  FaultyEnd,
  FaultyOrder,
  FaultyRun,
  Row,
} from "../../testing/fault-place.js";
import { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
import { PostgresSchemaDatabase } from "../index.js";
import { StatementCutter } from "./statement-cutter.js";
import { connect } from "./transition.js";

const WAITS = { turnMs: 5000, lockMs: 500, indexMs: 1500 };
/** The first statement of a migration that changes the database, after it has read the schema. */
const FIRST_CHANGE = /^\s*(BEGIN|CREATE INDEX CONCURRENTLY|DROP INDEX CONCURRENTLY)/;

/** An empty database. */
export async function openPostgresFaultPlace(): Promise<FaultPlace> {
  const fresh = await freshDatabase();
  const cutter = await StatementCutter.open(fresh.url);
  const client = await connect(fresh.url);
  return new PostgresFaultPlace(client, cutter, async () => {
    await client.end();
    await cutter[Symbol.asyncDispose]();
    await fresh[Symbol.asyncDispose]();
  });
}

/**
 * A server behind a proxy that cuts connections: for the server it looks as if the migrating
 * process had been killed.
 */
class PostgresFaultPlace implements FaultPlace {
  readonly database: PostgresSchemaDatabase;
  readonly service: MigrationService;
  readonly #client: pg.Client;
  readonly #cutter: StatementCutter;
  readonly #close: () => Promise<void>;

  constructor(client: pg.Client, cutter: StatementCutter, close: () => Promise<void>) {
    this.#client = client;
    this.#cutter = cutter;
    this.#close = close;
    this.database = new PostgresSchemaDatabase("shop", cutter.url, WAITS);
    this.service = new MigrationService({
      databases: new Map([["shop", this.database]]),
      repositories: memoryRepositories(),
      clock: systemClock,
      ids: systemIds(systemClock),
    });
  }

  readonly query = async (sql: string): Promise<readonly Row[]> =>
    (await this.#client.query<Row>(sql)).rows;

  apply({ id, acceptDataLoss, statement }: FaultyOrder): FaultyRun {
    this.#cutter.arm(statement);
    const begun = this.#cutter.seen(FIRST_CHANGE);
    return { begun, ended: this.#end(id, acceptDataLoss) };
  }

  async #end(id: string, acceptDataLoss: boolean): Promise<FaultyEnd> {
    const end = await this.service
      .apply(ADMIN, id, { acceptDataLoss })
      .catch((error: unknown) => AppError.from(error));
    const { isCut } = this.#cutter;
    this.#cutter.heal();
    return isCut ? "died" : end;
  }

  async hold(table: string, random: () => number): Promise<AsyncDisposable> {
    const client = await connect(this.#cutter.target);
    const mode = random() < 0.5 ? "ACCESS SHARE" : "ROW EXCLUSIVE";
    await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
    return { [Symbol.asyncDispose]: () => client.end() };
  }

  readonly asText = (column: string): string => `${column}::text`;

  readonly isSame = (one: string, other: string): boolean => one === other;

  /** A PostgreSQL server checks its files by itself. */
  check(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
