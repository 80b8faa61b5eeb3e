import type { Connection, Submittable } from "pg";
import { OUTPUT_BYTES_MAX, RESULT_ROWS_MAX } from "../../plans/limits.js";

/** The name of the portal. */
export const PORTAL = "steward";

/** Rows of the first fetch. It is small, because the size of the rows is not known yet. */
const FIRST_FETCH_ROWS = 100;
/** Rows of any later fetch. */
const FETCH_ROWS_MAX = 2_000;
/**
 * Bytes of PostgreSQL's text that suffice for any output, because bytea is shorter in base64 than
 * in hex.
 */
const TEXT_BYTES_MAX = 2 * OUTPUT_BYTES_MAX;

/** A row as text, column by column. */
export type TextRow = readonly (string | null)[];

/** A column of a result. */
export interface Column {
  readonly name: string;
  /** OID of its type. */
  readonly type: number;
}

/** A statement and its parameter values. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly (string | null)[];
  /** Type OIDs of the parameters; 0 lets PostgreSQL infer the type. */
  readonly types: readonly number[];
}

/** How much of a result is fetched. */
export interface FetchLimits {
  /** Fetching stops when there are more rows than this. */
  readonly rows: number;
  /** Fetching stops when the text of the rows is longer than this, in bytes. */
  readonly textBytes: number;
}

const OUTPUT_LIMITS: FetchLimits = { rows: RESULT_ROWS_MAX, textBytes: TEXT_BYTES_MAX };

/** The result of a statement, as far as rows were fetched. */
export interface PortalResult {
  /** Absent when the statement returns no rows. */
  readonly columns: readonly Column[] | undefined;
  /** Fetched rows, as many as the limits allow. */
  readonly rows: readonly TextRow[];
  /** Number of fetched rows, including those that were dropped. */
  readonly rowsSeen: number;
  /** False when there may be more rows. */
  readonly isComplete: boolean;
  /** Number of changed rows, if the engine reports it. */
  readonly rowsChanged: number;
}

/** The part of the driver's connection that is used; its types do not describe the messages. */
interface DriverConnection extends Pick<Connection, "stream" | "sync"> {
  parse(message: { readonly text: string; readonly types: readonly number[] }): void;
  bind(message: { readonly portal: string; readonly values: readonly (string | null)[] }): void;
  describe(message: { readonly type: "P"; readonly name: string }): void;
  execute(message: { readonly portal: string; readonly rows: number }): void;
}

/**
 * Runs one statement over the extended protocol, which does not accept a second one. Rows are
 * fetched in batches until there are enough: each submission is a round trip for one batch. The
 * portal stays open in its transaction, also for counting the remaining rows.
 *
 * Steward's own commands before the statement travel with the first batch. Only one Sync follows,
 * so the server skips the statement when one of them fails: without BEGIN it would run outside of a
 * transaction, with the rights of the login role.
 */
export class PortalQuery implements Submittable {
  readonly #statement: BoundStatement;
  readonly #commands: readonly string[];
  readonly #onRow: () => void;
  readonly #limits: FetchLimits;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #isBegun = false;
  #commandsLeft: number;
  #columns: readonly Column[] | undefined;
  readonly #rows: TextRow[] = [];
  #rowsSeen = 0;
  #textBytes = 0;
  #isComplete = false;
  #rowsChanged = 0;

  /**
   * @param commands run before the statement.
   * @param onRow called when a row was received completely.
   * @param limits absent: enough rows for any output.
   */
  constructor(
    statement: BoundStatement,
    commands: readonly string[],
    onRow: () => void,
    limits: FetchLimits = OUTPUT_LIMITS,
  ) {
    this.#statement = statement;
    this.#commands = commands;
    this.#commandsLeft = commands.length;
    this.#onRow = onRow;
    this.#limits = limits;
  }

  /** Whether further rows are needed, by submitting the query again. */
  get hasMore(): boolean {
    return !this.#isComplete && !this.#isEnough;
  }

  get result(): PortalResult {
    return {
      columns: this.#columns,
      rows: this.#rows,
      rowsSeen: this.#rowsSeen,
      isComplete: this.#isComplete,
      rowsChanged: this.#rowsChanged,
    };
  }

  /** Settles when the next batch is there. To be called before each submission. */
  nextBatch(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(driver: Connection): void {
    const connection = driver as unknown as DriverConnection;
    connection.stream.cork();
    if (!this.#isBegun) this.#begin(connection);
    connection.execute({ portal: PORTAL, rows: this.#batchRows });
    connection.sync();
    connection.stream.uncork();
    this.#isBegun = true;
  }

  handleRowDescription(message: {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  }): void {
    this.#columns = message.fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
  }

  handleDataRow(message: { readonly fields: TextRow }): void {
    this.#onRow();
    this.#rowsSeen += 1;
    if (this.#isEnough) return;
    this.#rows.push(message.fields);
    for (const field of message.fields) this.#textBytes += field?.length ?? 0;
  }

  handlePortalSuspended(): void {
    // `hasMore` tells.
  }

  handleCommandComplete(message: { readonly text: string }): void {
    if (this.#commandsLeft > 0) {
      this.#commandsLeft -= 1;
      return;
    }
    this.#isComplete = true;
    this.#rowsChanged = Number(
      /^(?:INSERT 0|UPDATE|DELETE|MERGE) (\d+)$/.exec(message.text)?.[1] ?? 0,
    );
  }

  handleEmptyQuery(): void {
    this.#isComplete = true;
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }

  get #isEnough(): boolean {
    const { rows, textBytes } = this.#limits;
    return this.#rows.length > rows || this.#textBytes > textBytes;
  }

  get #batchRows(): number {
    const { rows, textBytes } = this.#limits;
    if (!this.#isBegun) return Math.min(FIRST_FETCH_ROWS, rows + 1);
    const bytesPerRow = Math.max(1, this.#textBytes / Math.max(1, this.#rows.length));
    const room = Math.ceil((textBytes - this.#textBytes) / bytesPerRow);
    return Math.min(FETCH_ROWS_MAX, Math.max(1, room));
  }

  #begin(connection: DriverConnection): void {
    for (const text of this.#commands) {
      connection.parse({ text, types: [] });
      connection.bind({ portal: "", values: [] });
      connection.execute({ portal: "", rows: 0 });
    }
    const { sql, values, types } = this.#statement;
    connection.parse({ text: sql, types });
    connection.bind({ portal: PORTAL, values });
    connection.describe({ type: "P", name: PORTAL });
  }
}
