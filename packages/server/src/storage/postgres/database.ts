import { createHash } from "node:crypto";
import pg from "pg";
import { systemClock } from "@steward/kernel/clock.js";
import { connectionRefusal, isOutcomeUnknown, PostgresClient, sqlStateOf } from "@steward/postgres";
import { AppError } from "@steward/kernel/errors.js";
import type { DueFact, RecordedOperation } from "../../kernel/recorded-operation.js";
import { addFacts } from "./audit/outbox.js";
import { WRITE_REFUSALS, WriteRefusals } from "./write-refusals.js";

/** A value bound to a statement. */
export type PgValue =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | null
  | readonly (string | number | bigint | boolean | Uint8Array | null)[];

/** A connection on loan from the pool. */
export interface Connection {
  /** Runs one statement and returns its rows. @throws AppError `STORE_UNAVAILABLE`. */
  query<Row extends object>(sql: string, values?: readonly PgValue[]): Promise<readonly Row[]>;

  /** Runs one statement. @returns how many rows it has changed. @throws AppError `STORE_UNAVAILABLE`. */
  change(sql: string, values?: readonly PgValue[]): Promise<number>;
}

/** A connection that knows whether a statement on it has changed rows. */
interface WatchedConnection extends Connection {
  readonly hasChanged: () => boolean;
}

/** The command tags of statements that change rows. */
const CHANGES: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE"]);

/** It is unknown whether a statement or transaction took effect; it may also take effect later. */
export class OutcomeUnknown extends AppError {}

/** Limits of a {@link Database}. */
export interface DatabaseLimits {
  /** Time limit of a statement, in ms; absent: 15 seconds. */
  readonly statementMsMax?: number;
  /** Maximum number of connections; absent: 10. */
  readonly connectionsMax?: number;
}

/** Maximum number of connections to the store. */
const CONNECTIONS_MAX = 10;
/** Time limit for connecting, and for waiting for a free connection, in ms. */
const CONNECT_MS_MAX = 5000;
/** Time limit of a statement, in ms. Its connection is then considered dead. */
const STATEMENT_MS_MAX = 15_000;

/** SQLSTATE of a unique violation. */
export const UNIQUE_VIOLATION: string = "23505";
/** SQLSTATEs that a retry may resolve: serialization failure and deadlock. */
const RETRY_STATES = new Set(["40001", "40P01"]);
/**
 * SQLSTATEs for a prepared statement that is missing or already exists, because a pooler has
 * switched connections.
 */
const UNPREPARED_STATES = new Set(["26000", "42P05"]);
/** Maximum number of attempts of a statement with one of these SQLSTATEs. */
const TRIES_MAX = 5;

/**
 * Connections to the service's own store. Statements always use the extended protocol, one at a
 * time, with bound values. A failure is an AppError `STORE_UNAVAILABLE` with a retry delay, or an
 * {@link OutcomeUnknown} when it is unknown whether the statement took effect.
 */
export class Database implements Connection, AsyncDisposable {
  readonly #pool: pg.Pool;
  readonly #settings: pg.ClientConfig;
  readonly #refusals = new WriteRefusals((sql) => this.query(sql), systemClock);
  #prepares = true;

  constructor(
    url: string,
    { statementMsMax = STATEMENT_MS_MAX, connectionsMax = CONNECTIONS_MAX }: DatabaseLimits = {},
  ) {
    this.#settings = { ...clientSettings(url), query_timeout: statementMsMax };
    this.#pool = new pg.Pool({
      ...this.#settings,
      Client: PostgresClient,
      max: connectionsMax,
      idleTimeoutMillis: 30_000,
    });
    // An idle connection that breaks is replaced when it is needed next.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      client.on("error", () => undefined);
    });
  }

  /** Runs one statement; retries it after a conflict with another transaction. */
  query<Row extends object>(sql: string, values: readonly PgValue[] = []): Promise<readonly Row[]> {
    return this.withConnection((connection) => retried(() => connection.query<Row>(sql, values)));
  }

  /** Like `query`. @returns how many rows the statement has changed. */
  change(sql: string, values: readonly PgValue[] = []): Promise<number> {
    return this.withConnection((connection) => retried(() => connection.change(sql, values)));
  }

  /**
   * Like `query`, for a statement that is the effect of an operation: a recorded operation is added to
   * the audit log's outbox in the same transaction.
   */
  writeEffect<Row extends object>(
    sql: string,
    values: readonly PgValue[],
    operation: RecordedOperation | undefined,
  ): Promise<readonly Row[]> {
    return operation === undefined
      ? this.query<Row>(sql, values)
      : this.effect((connection) => connection.query<Row>(sql, values), operation);
  }

  /**
   * Like `query`, for frequent statements: each connection parses and plans the statement once,
   * unless a pooler without support for prepared statements is in between.
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
          // The error came before execution, so the statement can be run again unprepared.
          this.#prepares = false;
          return run<Row>(client, { text: sql, values });
        }
      }),
    );
  }

  /** Runs `work` with a connection of the pool; closes the connection afterwards if it failed. */
  withConnection<T>(work: (connection: WatchedConnection) => Promise<T>): Promise<T> {
    return this.#withClient((client) => {
      let hasChanged = false;
      const result = async <Row extends object>(text: string, values: readonly PgValue[] = []) => {
        const ended = await runResult<Row>(client, { text, values });
        hasChanged ||= CHANGES.has(ended.command) && ended.rowCount !== 0;
        return ended;
      };
      return work({
        query: async <Row extends object>(text: string, values?: readonly PgValue[]) =>
          (await result<Row>(text, values)).rows,
        change: async (text, values) => (await result(text, values)).rowCount ?? 0,
        hasChanged: () => hasChanged,
      });
    });
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
   * Runs `work` in one transaction; retries it after a conflict with another transaction. An error
   * of `work` rolls the transaction back. The connection is reused unless it was lost.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#transaction(work);
  }

  /**
   * Like {@link transaction}, for the effect of an operation: the first one of a recorded operation
   * that changes something also adds the operation to the audit log's outbox.
   */
  effect<T>(
    work: (connection: Connection) => Promise<T>,
    operation: RecordedOperation | undefined,
  ): Promise<T> {
    if (operation === undefined) return this.#transaction(work);
    return operation.write(async (due) => {
      if (due === undefined) return this.#transaction(work);
      const { result, isAdded } = await this.#transaction((connection) =>
        withFact(connection, work, due),
      );
      due.isCommitted = isAdded;
      return result;
    });
  }

  #transaction<T>(work: (connection: WatchedConnection) => Promise<T>): Promise<T> {
    return retried(async () => {
      const end = await this.withConnection((connection) => transactionOn(connection, work));
      if ("error" in end) {
        this.#refusals.note(sqlStateOf(end.error));
        throw end.error;
      }
      return end.result;
    });
  }

  /**
   * Checks that the database answers and, as far as is known, accepts writes. @throws AppError
   * `STORE_UNAVAILABLE`.
   */
  async check(): Promise<void> {
    await this.query("SELECT FROM nodes LIMIT 1");
    await this.#refusals.check();
  }

  /** A connection outside of the pool, for LISTEN. The caller must end it. */
  dedicatedClient(): pg.Client {
    return new PostgresClient(this.#settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }
}

/** Does the work, and adds the fact when the work has changed something. */
async function withFact<T>(
  connection: WatchedConnection,
  work: (connection: Connection) => Promise<T>,
  { fact }: DueFact,
): Promise<{ readonly result: T; readonly isAdded: boolean }> {
  const result = await work(connection);
  const isAdded = connection.hasChanged();
  if (isAdded) await addFacts(connection, [fact]);
  return { result, isAdded };
}

/** @throws OutcomeUnknown when it is unknown whether the transaction committed. */
async function transactionOn<T>(
  connection: WatchedConnection,
  work: (connection: WatchedConnection) => Promise<T>,
): Promise<{ readonly result: T } | { readonly error: unknown }> {
  await connection.query("BEGIN");
  try {
    // A node that hangs or is disconnected must not keep its locks.
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
// Milliseconds and counts fit into a double; amounts of money are read as text.
TYPES.setTypeParser(pg.types.builtins.INT8, Number);

interface PgStatement {
  readonly text: string;
  readonly values: readonly PgValue[];
  readonly name?: string;
}

async function run<Row extends object>(
  client: pg.PoolClient,
  statement: PgStatement,
): Promise<readonly Row[]> {
  return (await runResult<Row>(client, statement)).rows;
}

async function runResult<Row extends object>(
  client: pg.PoolClient,
  statement: PgStatement,
): Promise<pg.QueryResult<Row>> {
  try {
    const query = { ...statement, queryMode: "extended" } as unknown as pg.QueryConfig;
    return await client.query<Row>(query);
  } catch (error) {
    throw failureOf(error);
  }
}

/** Behind a pooler several programs may share a connection, so the name must identify the text. */
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

/** The class of SQLSTATE codes about invalid values (PostgreSQL manual, appendix A). */
const DATA_EXCEPTION = "22";

function unavailable(cause: unknown): AppError {
  // A value that the server cannot store should have been rejected earlier; a retry does not help.
  if (sqlStateOf(cause)?.startsWith(DATA_EXCEPTION) === true) return AppError.from(cause);
  return new AppError(...unavailableWith(cause));
}

function unavailableWith(cause: unknown): ConstructorParameters<typeof AppError> {
  const refused = connectionRefusal(cause);
  if (refused !== undefined) {
    // A retry does not help: the role or the database is wrong.
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
