import { createHash } from "node:crypto";
import pg from "pg";
import { systemClock } from "@steward/kernel/clock.js";
import { connectionRefusal, isOutcomeUnknown, PostgresClient, sqlStateOf } from "@steward/postgres";
import { AppError } from "@steward/kernel/errors.js";
import { WRITE_REFUSALS, WriteRefusals } from "./write-refusals.js";

/** What is bound to a statement. */
export type PgValue =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | null
  | readonly (string | number | bigint | boolean | Uint8Array | null)[];

/** One connection, for as long as it is lent. */
export interface Connection {
  /** Rows of one statement. @throws AppError `STORE_UNAVAILABLE`. */
  query<Row extends object>(sql: string, values?: readonly PgValue[]): Promise<readonly Row[]>;
}

/** Whether a statement, or a transaction, took effect is not known: it may also do so later. */
export class OutcomeUnknown extends AppError {}

/** Connections to the store, at most. */
const CONNECTIONS_MAX = 10;
/** How long connecting, and waiting for a free connection, may take, in ms. */
const CONNECT_MS_MAX = 5000;
/** How long a statement may take before its connection is given up as dead, in ms. */
const STATEMENT_MS_MAX = 15_000;

/** SQLSTATE: a row with this key is there. */
export const UNIQUE_VIOLATION: string = "23505";
/**
 * SQLSTATE of what passes when it is tried again: serialization failure, deadlock, a row that was
 * referred to and is gone meanwhile.
 */
const RETRY_STATES = new Set(["40001", "40P01", "23503"]);
/** SQLSTATE: a prepared statement is not there, or is there already: a pooler changes connections. */
const UNPREPARED_STATES = new Set(["26000", "42P05"]);
/** How often a statement that met one of them is tried. */
const TRIES_MAX = 5;

/**
 * Our own store's connections. Statements always go by the extended protocol, one at a time, values
 * bound. A failure is an AppError `STORE_UNAVAILABLE` with a time to wait; one that left the outcome
 * open is an {@link OutcomeUnknown}.
 */
export class Database implements Connection, AsyncDisposable {
  readonly #pool: pg.Pool;
  readonly #settings: pg.ClientConfig;
  readonly #refusals = new WriteRefusals((sql) => this.query(sql), systemClock);
  #prepares = true;

  /** @param statementMsMax how long a statement may take, in ms; absent: 15 seconds. */
  constructor(url: string, statementMsMax: number = STATEMENT_MS_MAX) {
    this.#settings = { ...clientSettings(url), query_timeout: statementMsMax };
    this.#pool = new pg.Pool({
      ...this.#settings,
      Client: PostgresClient,
      max: CONNECTIONS_MAX,
      idleTimeoutMillis: 30_000,
    });
    // A connection that breaks while nobody asks it anything is replaced when it is needed.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      client.on("error", () => undefined);
    });
  }

  /** Runs one statement, again when it lost against another transaction. */
  query<Row extends object>(sql: string, values: readonly PgValue[] = []): Promise<readonly Row[]> {
    return this.withConnection((connection) => retried(() => connection.query<Row>(sql, values)));
  }

  /**
   * As `query`, for a statement that is run very often: each connection parses and plans it once,
   * unless a pooler stands in front that keeps no prepared statements.
   */
  queryPrepared<Row extends object>(
    sql: string,
    values: readonly PgValue[],
  ): Promise<readonly Row[]> {
    return this.#withClient((client) =>
      retried(async () => {
        if (!this.#prepares) return run<Row>(client, { text: sql, values });
        try {
          return await run<Row>(client, { text: sql, values, name: nameOf(sql) });
        } catch (error) {
          if (!UNPREPARED_STATES.has(sqlStateOf(error) ?? "")) throw error;
          // Nothing was run.
          this.#prepares = false;
          return run<Row>(client, { text: sql, values });
        }
      }),
    );
  }

  /** Lends a connection to `work`; one that failed is closed afterwards. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#withClient((client) =>
      work({
        query: <Row extends object>(text: string, values: readonly PgValue[] = []) =>
          run<Row>(client, { text, values }),
      }),
    );
  }

  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    let failed = true;
    try {
      const result = await work(client);
      failed = false;
      return result;
    } catch (error) {
      this.#refusals.note(sqlStateOf(error));
      throw error;
    } finally {
      client.release(failed);
    }
  }

  /**
   * Runs `work` in one transaction, again when it lost against another one. What it throws undoes it;
   * the connection is kept, unless that is what was lost.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return retried(async () => {
      const end = await this.withConnection((connection) => transactionOn(connection, work));
      if ("error" in end) {
        this.#refusals.note(sqlStateOf(end.error));
        throw end.error;
      }
      return end.result;
    });
  }

  /** Whether it answers and, as far as is known, takes writes. @throws AppError `STORE_UNAVAILABLE`. */
  async check(): Promise<void> {
    await this.query("SELECT FROM nodes LIMIT 1");
    await this.#refusals.check();
  }

  /** A connection outside of the pool, to listen on. Whoever takes it ends it. */
  dedicatedClient(): pg.Client {
    return new PostgresClient(this.#settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }
}

/** @throws OutcomeUnknown when nobody knows how it ended. */
async function transactionOn<T>(
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<{ readonly result: T } | { readonly error: unknown }> {
  await connection.query("BEGIN");
  try {
    // A node that hangs, or is cut off, must not keep its locks.
    await connection.query("SELECT set_config($1, $2, true)", [
      "idle_in_transaction_session_timeout",
      String(STATEMENT_MS_MAX),
    ]);
    const result = await work(connection);
    await connection.query("COMMIT");
    return { result };
  } catch (error) {
    if (error instanceof OutcomeUnknown) throw error;
    await connection.query("ROLLBACK");
    return { error };
  }
}

function clientSettings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "steward",
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    types: TYPES,
  };
}

const TYPES = new pg.TypeOverrides();
// Milliseconds and counts fit a double; amounts of money are read as text.
TYPES.setTypeParser(pg.types.builtins.INT8, Number);

async function run<Row extends object>(
  client: pg.PoolClient,
  statement: {
    readonly text: string;
    readonly values: readonly PgValue[];
    readonly name?: string;
  },
): Promise<readonly Row[]> {
  try {
    const query = { ...statement, queryMode: "extended" } as unknown as pg.QueryConfig;
    return (await client.query<Row>(query)).rows;
  } catch (error) {
    throw failureOf(error);
  }
}

/** Behind a pooler several programs may share a connection: a name stands for one text only. */
function nameOf(sql: string): string {
  let name = NAMES.get(sql);
  if (name === undefined) {
    name = `steward_${createHash("sha256").update(sql).digest("hex").slice(0, 32)}`;
    NAMES.set(sql, name);
  }
  return name;
}

const NAMES = new Map<string, string>();

async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries >= TRIES_MAX || !RETRY_STATES.has(sqlStateOf(error) ?? "")) throw error;
    }
  }
}

function failureOf(error: unknown): AppError {
  return isOutcomeUnknown(error)
    ? new OutcomeUnknown(...unavailableWith(error))
    : unavailable(error);
}

/** The class of SQLSTATE codes about values (PostgreSQL manual, appendix A). */
const DATA_EXCEPTION = "22";

function unavailable(cause: unknown): AppError {
  // A value that the server cannot hold is one that should not have come here; asking again does not help.
  if (sqlStateOf(cause)?.startsWith(DATA_EXCEPTION) === true) return AppError.from(cause);
  return new AppError(...unavailableWith(cause));
}

function unavailableWith(cause: unknown): ConstructorParameters<typeof AppError> {
  const refused = connectionRefusal(cause);
  if (refused !== undefined) {
    // Trying again does not help: the role or the database must be another one.
    const advice = "correct SERVICE_DATABASE_URL, or the role and the database on the server";
    const message = `The store's server refuses the connection: ${refused}; ${advice}`;
    return ["STORE_UNAVAILABLE", message, { cause }];
  }
  const options = { cause, retryAfterMs: 1000 };
  const refusal = WRITE_REFUSALS.get(sqlStateOf(cause) ?? "");
  const message =
    refusal === undefined
      ? "The store cannot be reached now"
      : `The store cannot be written to now: ${refusal}`;
  return ["STORE_UNAVAILABLE", message, options];
}
