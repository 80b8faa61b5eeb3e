import { setTimeout as sleep } from "node:timers/promises";
import { Connection, DatabaseError, type Client, type QueryResult, type QueryResultRow } from "pg";
import { SQL_TEMPORARY_BYTES_MAX } from "../../kernel/limits.js";
import { containParser, PostgresClient } from "../postgres-client.js";
import { PortalQuery, type PortalResult } from "./portal-query.js";
import { TreeQuery } from "./touched/tree-query.js";

/** How long connecting may take, in ms. */
const CONNECT_MS_MAX = 5_000;
/** How long a statement may take to heed a cancel request before its process is ended, in ms. */
const CANCEL_MS_MAX = 120;
/** How long a rollback may take before the connection counts as lost, in ms. */
const ROLLBACK_MS_MAX = 5_000;
/** How long a process may take to end once it is told to, in ms. */
const TERMINATE_MS_MAX = 5_000;
/** Bytes that may come in before the row they belong to is complete. */
const ROW_BYTES_MAX = 32 * 1024 * 1024;

/** SQLSTATE `insufficient_privilege`. */
const MAY_NOT_SET = "42501";

/** What a server says beside its answers. */
interface Notice {
  readonly message?: string | undefined;
  readonly detail?: string | undefined;
}

/** What the driver has but does not declare. */
interface DriverClient extends Client {
  readonly processID: number;
  readonly secretKey: number;
}
interface DriverConnection extends Connection {
  connect(port: number, host: string): void;
  connect(socketPath: string): void;
  cancel(processId: number, secretKey: number): void;
}

/** One connection to a data source, used by one step at a time. */
export class Session {
  /** Whose steps ran on it last. */
  orgId: string | undefined;
  readonly #url: string;
  readonly #client: DriverClient;
  #isSpoilt = false;
  #isStopped = false;
  #isRowTooLarge = false;
  #bytesSinceRow = 0;
  #current: Promise<unknown> = Promise.resolve();

  private constructor(url: string, client: DriverClient) {
    this.#url = url;
    this.#client = client;
    client.on("error", () => this.spoil());
    client.on("end", () => this.spoil());
    client.connection.stream.on("data", (chunk: Buffer) => this.#countBytes(chunk.length));
  }

  /** @throws whatever the driver or the server says. */
  static async open(url: string): Promise<Session> {
    const client = newClient(url);
    // Said again by the promise.
    client.on("error", () => undefined);
    await client.connect();
    return new Session(url, client);
  }

  /**
   * Limits the disk space that sorting and grouping take, where the role may: superusers, and those whom the
   * privilege SET on the parameter was granted. For others the server's own setting holds.
   */
  async limitTemporaryFiles(): Promise<void> {
    try {
      await this.command(`SET temp_file_limit = ${SQL_TEMPORARY_BYTES_MAX / 1024}`);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== MAY_NOT_SET) throw error;
    }
  }

  /** It must not be used again. */
  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  /** The last statement was broken off because one row of its result was too large. */
  get isRowTooLarge(): boolean {
    return this.#isRowTooLarge;
  }

  /** Whether a transaction is open, be it one that has failed. */
  get isInTransaction(): boolean {
    const status = this.#client.getTransactionStatus();
    return status === "T" || status === "E";
  }

  spoil(): void {
    this.#isSpoilt = true;
  }

  /** Runs statements of our own, constant but for numbers, in one round trip. */
  async command(sql: string): Promise<number> {
    const { rowCount } = await this.#track(() => this.#client.query(sql));
    return rowCount ?? 0;
  }

  /** As {@link command}. @returns the rows of the last statement. */
  async commandRows(sql: string): Promise<readonly QueryResultRow[]> {
    // Of several statements the driver gives a list of results, which it does not declare.
    const results = (await this.#track(() => this.#client.query(sql))) as
      QueryResult<QueryResultRow> | readonly QueryResult<QueryResultRow>[];
    return [results].flat().at(-1)?.rows ?? [];
  }

  /** Has a statement parsed, in the transaction that is open. @returns the trees that the server tells of it. */
  async treesOf(sql: string, types: readonly number[]): Promise<readonly string[]> {
    const trees: string[] = [];
    const listen = ({ message, detail }: Notice): void => {
      if (detail !== undefined && message?.startsWith("rewritten parse tree") === true) {
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

  /** Runs a statement of our own with values; rows come as text. */
  async query(
    sql: string,
    values: readonly (string | number | null)[] = [],
  ): Promise<readonly QueryResultRow[]> {
    const query = { text: sql, values: [...values], queryMode: "extended" };
    const { rows } = await this.#track(() => this.#client.query<QueryResultRow>(query));
    return rows;
  }

  /**
   * Runs an agent's statement, in the transaction that is open.
   * @param types OIDs of its parameters; 0 leaves one's type to what stands around it.
   */
  async run(
    sql: string,
    values: readonly (string | null)[],
    types: readonly number[],
  ): Promise<PortalResult> {
    this.#bytesSinceRow = 0;
    const query = new PortalQuery({ sql, values, types }, () => {
      this.#bytesSinceRow = 0;
    });
    return this.#track(() => this.#client.query(query).result);
  }

  /**
   * Stops what runs, and resolves when it does not run any more. A cancel request cannot say which
   * statement it is for, so the session is not used again.
   * @throws when the server cannot be asked whether it runs.
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

  /** Says good-bye, or hangs up where that would not be heard. */
  close(): void {
    this.spoil();
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), 1_000).unref();
    this.#client.end().then(
      () => clearTimeout(timer),
      () => undefined,
    );
  }

  /** Ends what is open, and leaves the session as it should be for the next step. */
  async rollback(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), ROLLBACK_MS_MAX).unref();
    try {
      await this.command("ROLLBACK");
    } catch {
      this.spoil();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Hangs up. */
  destroy(): void {
    this.spoil();
    this.#client.connection.stream.destroy();
  }

  #track<Result>(start: () => Promise<Result>): Promise<Result> {
    // A cancel request is under way, and would meet whatever runs next.
    if (this.#isStopped) return Promise.reject(new Error("the session was stopped"));
    const running = start();
    this.#current = running;
    return running;
  }

  #countBytes(bytes: number): void {
    this.#bytesSinceRow += bytes;
    if (this.#bytesSinceRow <= ROW_BYTES_MAX) return;
    this.#isRowTooLarge = true;
    this.destroy();
  }

  /** Sends a cancel request (PostgreSQL manual, §54.2.8); it has no answer. */
  #cancel(): void {
    const { host, port, ssl } = this.#client;
    const connection = new Connection({ ssl }) as DriverConnection;
    containParser(connection);
    const timer = setTimeout(() => connection.stream.destroy(), CONNECT_MS_MAX).unref();
    // The server hangs up when it has taken the request.
    connection.on("error", () => undefined);
    connection.on("end", () => clearTimeout(timer));
    connection.on(ssl ? "sslconnect" : "connect", () => {
      connection.cancel(this.#client.processID, this.#client.secretKey);
    });
    if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  }

  /** Has the server end the process behind this session, and waits until it has. */
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
