import { setTimeout as sleep } from "node:timers/promises";
import { Connection, DatabaseError, type QueryResult, type QueryResultRow } from "pg";
import { SQL_TEMPORARY_BYTES_MAX } from "../limits.js";
import { containParser, PostgresClient } from "@steward/postgres";
import { PortalQuery, type FetchLimits, type PortalResult } from "./portal-query.js";
import { textOf } from "./transaction.js";
import { TREE_TITLES, TreeQuery, type TreeStage } from "./touched/tree-query.js";

/** Connection time-out, in ms. */
const CONNECT_MS_MAX = 5_000;
/**
 * How long a statement may take to react to a cancel request before its backend is terminated, in
 * ms.
 */
const CANCEL_MS_MAX = 120;
/** How long a rollback may take before the connection counts as lost, in ms. */
const ROLLBACK_MS_MAX = 5_000;
/** How long a backend may take to end after it was told to, in ms. */
const TERMINATE_MS_MAX = 5_000;
/** Limit of the bytes received for one row. */
const ROW_BYTES_MAX = 32 * 1024 * 1024;

/** SQLSTATE `insufficient_privilege`. */
const MAY_NOT_SET = "42501";

/** A notice of the server. */
interface Notice {
  readonly message?: string | undefined;
  readonly detail?: string | undefined;
}

/** Members of the driver's client that its types do not declare. */
interface DriverClient extends PostgresClient {
  readonly processID: number;
  readonly secretKey: number;
}
interface DriverConnection extends Connection {
  connect(port: number, host: string): void;
  connect(socketPath: string): void;
  cancel(processId: number, secretKey: number): void;
}

/** A connection to a data source, used by one step at a time. */
export class Session {
  /** The organization that used it last. */
  orgId: string | undefined;
  readonly #url: string;
  readonly #client: DriverClient;
  #isSpoilt = false;
  #isStopped = false;
  #isRowTooLarge = false;
  #bytesSinceRow = 0;
  /** Commands that begin a transaction, and have not been sent yet. */
  #begin: readonly string[] = [];
  /** Whether they were sent with a statement whose end the driver has not reported. */
  #isBeginning = false;
  #current: Promise<unknown> = Promise.resolve();

  private constructor(url: string, client: DriverClient) {
    this.#url = url;
    this.#client = client;
    client.on("error", () => this.spoil());
    client.on("end", () => this.spoil());
    client.connection.stream.on("data", (chunk: Buffer) => this.#countBytes(chunk.length));
  }

  /** @throws errors of the driver or the server. */
  static async open(url: string): Promise<Session> {
    const client = newClient(url);
    // Without a listener the event would end the process; the rejected promise reports the error.
    client.on("error", () => undefined);
    await client.connect();
    return new Session(url, client);
  }

  /**
   * Limits the temporary files of sorts and groupings (temp_file_limit), if the role may set it:
   * superusers, and roles with the privilege SET on the parameter. For other roles the server's own
   * setting applies.
   */
  async limitTemporaryFiles(): Promise<void> {
    try {
      await this.command(`SET temp_file_limit = ${SQL_TEMPORARY_BYTES_MAX / 1024}`);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== MAY_NOT_SET) throw error;
    }
  }

  /** Whether the session must not be used again. */
  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  /** Whether the last statement was aborted because a row exceeded its limit. */
  get isRowTooLarge(): boolean {
    return this.#isRowTooLarge;
  }

  /** Whether a transaction is open, including a failed one. */
  get isInTransaction(): boolean {
    // After an error the driver has the status from before the statement.
    if (this.#isBeginning) return true;
    const status = this.#client.getTransactionStatus();
    return status === "T" || status === "E";
  }

  spoil(): void {
    this.#isSpoilt = true;
  }

  /**
   * Begins a transaction by these commands. They are sent together with the next statement, where the
   * protocol allows it in one round trip, and not at all when none follows.
   */
  begin(commands: readonly string[]): void {
    this.#begin = commands;
  }

  /** Gives a transaction up that has not been sent. */
  cancelBegin(): void {
    this.#begin = [];
  }

  /**
   * Runs Steward's own statements in one round trip. The text must not contain values other than
   * numbers.
   * @returns the number of rows of the last statement.
   */
  async command(sql: string): Promise<number> {
    const results = await this.#results(sql);
    return results.at(-1)?.rowCount ?? 0;
  }

  /**
   * Like {@link command}.
   * @returns the rows of the last statement.
   */
  async commandRows(sql: string): Promise<readonly QueryResultRow[]> {
    return (await this.commandResults(sql)).at(-1) ?? [];
  }

  /**
   * Like {@link command}.
   * @returns the rows of each statement.
   */
  async commandResults(sql: string): Promise<readonly (readonly QueryResultRow[])[]> {
    return (await this.#results(sql)).map(({ rows }) => rows);
  }

  /**
   * Has PostgreSQL parse a statement in the open transaction.
   * @returns the query trees that it reports.
   */
  async treesOf(
    sql: string,
    types: readonly number[],
    stage: TreeStage,
  ): Promise<readonly string[]> {
    await this.#sendBegin();
    const trees: string[] = [];
    const listen = ({ message, detail }: Notice): void => {
      if (detail !== undefined && message?.startsWith(TREE_TITLES[stage]) === true) {
        trees.push(detail);
      }
    };
    this.#client.on("notice", listen);
    try {
      await this.#track(() => this.#client.query(new TreeQuery(sql, types)).result);
    } finally {
      this.#client.off("notice", listen);
    }
    return trees;
  }

  /** Runs a statement of Steward's own with parameters; rows are returned as text. */
  async query(
    sql: string,
    values: readonly (string | number | null)[] = [],
  ): Promise<readonly QueryResultRow[]> {
    await this.#sendBegin();
    const query = { text: sql, values: [...values], queryMode: "extended" };
    const { rows } = await this.#track(() => this.#client.query<QueryResultRow>(query));
    return rows;
  }

  /**
   * Runs an agent's statement in the open transaction.
   * @param types type OIDs of its parameters; 0 lets PostgreSQL infer the type.
   * @param limits absent: enough rows for any output.
   */
  async run(
    sql: string,
    values: readonly (string | null)[],
    types: readonly number[],
    limits?: FetchLimits,
  ): Promise<PortalResult> {
    this.#bytesSinceRow = 0;
    const onRow = (): void => {
      this.#bytesSinceRow = 0;
    };
    const query = new PortalQuery({ sql, values, types }, this.#takeBegin(), onRow, limits);
    do {
      await this.#track(() => {
        const batch = query.nextBatch();
        this.#client.query(query);
        return batch;
      });
    } while (query.hasMore);
    return query.result;
  }

  /**
   * Stops the running statement, and resolves when it has ended. The session is not reused, because
   * a late cancel request could hit another statement.
   * @throws when the server cannot be asked whether the statement is running.
   */
  async stop(): Promise<void> {
    this.spoil();
    this.#isStopped = true;
    const settled = this.#current.then(
      () => true,
      () => true,
    );
    this.#cancel();
    const isSettled = await Promise.race([settled, sleep(CANCEL_MS_MAX, false)]);
    if (!isSettled) await this.#terminate();
  }

  /**
   * Terminates the connection properly, or destroys the socket when the server would not notice.
   */
  close(): void {
    this.spoil();
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), 1_000).unref();
    this.#client.end().then(
      () => clearTimeout(timer),
      () => undefined,
    );
  }

  /** Rolls back the open transaction and resets the session for the next step. */
  async rollback(): Promise<void> {
    this.cancelBegin();
    if (!this.isInTransaction) return;
    const timer = setTimeout(() => this.destroy(), ROLLBACK_MS_MAX).unref();
    try {
      await this.command("ROLLBACK");
    } catch {
      this.spoil();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Destroys the socket. */
  destroy(): void {
    this.spoil();
    this.#client.connection.stream.destroy();
  }

  /** Sends the begin of the transaction by itself. */
  async #sendBegin(): Promise<void> {
    if (this.#begin.length > 0) await this.#results("");
  }

  /** The commands that begin the transaction, which the caller sends. */
  #takeBegin(): readonly string[] {
    const begin = this.#begin;
    this.#begin = [];
    this.#isBeginning ||= begin.length > 0;
    return begin;
  }

  async #results(sql: string): Promise<readonly QueryResult<QueryResultRow>[]> {
    const text = textOf(this.#takeBegin()) + sql;
    // For several statements the driver returns a list of results, which its types do not declare.
    const results = (await this.#track(() => this.#client.query(text))) as
      QueryResult<QueryResultRow> | readonly QueryResult<QueryResultRow>[];
    return [results].flat();
  }

  #track<Result>(start: () => Promise<Result>): Promise<Result> {
    // A pending cancel request would hit the next statement.
    if (this.#isStopped) return Promise.reject(new Error("the session was stopped"));
    const running = start().then((result) => {
      this.#isBeginning = false;
      return result;
    });
    this.#current = running;
    return running;
  }

  #countBytes(bytes: number): void {
    this.#bytesSinceRow += bytes;
    if (this.#bytesSinceRow <= ROW_BYTES_MAX) return;
    this.#isRowTooLarge = true;
    this.destroy();
  }

  /** Sends a cancel request (PostgreSQL manual, §54.2.8), which has no response. */
  #cancel(): void {
    const { host, port, ssl } = this.#client;
    const connection = new Connection({ ssl }) as DriverConnection;
    containParser(connection);
    const timer = setTimeout(() => connection.stream.destroy(), CONNECT_MS_MAX).unref();
    // The server closes the connection after it has received the request.
    connection.on("error", () => undefined);
    connection.on("end", () => clearTimeout(timer));
    connection.on(ssl ? "sslconnect" : "connect", () => {
      connection.cancel(this.#client.processID, this.#client.secretKey);
    });
    if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  }

  /**
   * Terminates the backend of this session (pg_terminate_backend), and waits until it has ended.
   */
  async #terminate(): Promise<void> {
    this.destroy();
    const admin = newClient(this.#url);
    admin.on("error", () => undefined);
    await admin.connect();
    try {
      const pid = [this.#client.processID];
      await admin.query("SELECT pg_terminate_backend($1)", pid);
      const giveUpAt = performance.now() + TERMINATE_MS_MAX;
      while (performance.now() < giveUpAt) {
        const { rowCount } = await admin.query("SELECT FROM pg_stat_activity WHERE pid = $1", pid);
        if (rowCount === 0) return;
        await sleep(20);
      }
      throw new Error("the server's process does not end");
    } finally {
      await admin.end();
    }
  }
}

function newClient(url: string): DriverClient {
  return new PostgresClient({
    connectionString: url,
    fallback_application_name: "steward",
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    types: { getTypeParser: () => (text: string) => text },
  }) as DriverClient;
}
