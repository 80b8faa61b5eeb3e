import type { Connection, Submittable } from "pg";
import { OUTPUT_BYTES_MAX, RESULT_ROWS_MAX } from "../../kernel/limits.js";

/** The name that a statement's rows are fetched, and counted, under. */
export const PORTAL = "steward";

/** Rows of the first fetch; how large they are is not known yet. */
const FIRST_FETCH_ROWS = 100;
/** Rows of any further one. */
const FETCH_ROWS_MAX = 2_000;
/** Bytes of PostgreSQL's text that suffice for any output: bytea is shorter in base64 than in hex. */
const TEXT_BYTES_MAX = 2 * OUTPUT_BYTES_MAX;

/** A row as text, column by column. */
export type TextRow = readonly (string | null)[];

/** A column of a result. */
export interface Column {
  readonly name: string;
  /** OID of its type. */
  readonly type: number;
}

/** A statement and the values of its parameters. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly (string | null)[];
  /** OIDs of the parameters' types; 0 leaves one to what stands around the parameter. */
  readonly types: readonly number[];
}

/** What running a statement gave, as far as rows were fetched. */
export interface PortalResult {
  /** Absent when the statement returns no rows at all. */
  readonly columns: readonly Column[] | undefined;
  /** Enough of them for any output. */
  readonly rows: readonly TextRow[];
  /** Rows fetched, those included that were not kept. */
  readonly rowsSeen: number;
  /** False: there may be more rows behind those fetched. */
  readonly isComplete: boolean;
  /** Rows changed, where the engine says so. */
  readonly rowsChanged: number;
}

/** What the driver passes on; its own types do not describe the messages. */
interface DriverConnection extends Pick<Connection, "stream" | "flush" | "sync"> {
  parse(message: { readonly text: string; readonly types: readonly number[] }): void;
  bind(message: { readonly portal: string; readonly values: readonly (string | null)[] }): void;
  describe(message: { readonly type: "P"; readonly name: string }): void;
  execute(message: { readonly portal: string; readonly rows: number }): void;
}

/**
 * One statement over the extended protocol, which takes no second one, its rows fetched a batch at a
 * time until there are enough. It stays open in its transaction, so that the others can be counted.
 */
export class PortalQuery implements Submittable {
  readonly result: Promise<PortalResult>;
  readonly #statement: BoundStatement;
  readonly #onRow: () => void;
  #resolve: (result: PortalResult) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #columns: readonly Column[] | undefined;
  readonly #rows: TextRow[] = [];
  #rowsSeen = 0;
  #textBytes = 0;
  #isComplete = false;
  #rowsChanged = 0;

  /** @param onRow called when a row has come in whole. */
  constructor(statement: BoundStatement, onRow: () => void) {
    this.#statement = statement;
    this.#onRow = onRow;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(driver: Connection): void {
    const connection = driver as unknown as DriverConnection;
    connection.stream.cork();
    const { sql, values, types } = this.#statement;
    connection.parse({ text: sql, types });
    connection.bind({ portal: PORTAL, values });
    connection.describe({ type: "P", name: PORTAL });
    this.#fetch(connection, FIRST_FETCH_ROWS);
    connection.stream.uncork();
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

  handlePortalSuspended(connection: DriverConnection): void {
    if (this.#isEnough) {
      connection.sync();
      return;
    }
    const bytesPerRow = Math.max(1, this.#textBytes / Math.max(1, this.#rows.length));
    const room = Math.ceil((TEXT_BYTES_MAX - this.#textBytes) / bytesPerRow);
    this.#fetch(connection, Math.min(FETCH_ROWS_MAX, Math.max(1, room)));
  }

  handleCommandComplete(message: { readonly text: string }, connection: DriverConnection): void {
    this.#isComplete = true;
    this.#rowsChanged = Number(
      /^(?:INSERT 0|UPDATE|DELETE|MERGE) (\d+)$/.exec(message.text)?.[1] ?? 0,
    );
    connection.sync();
  }

  handleEmptyQuery(connection: DriverConnection): void {
    this.#isComplete = true;
    connection.sync();
  }

  handleError(error: Error, connection: DriverConnection): void {
    // The server skips everything up to here; the driver asks this query nothing more.
    if (connection.stream.writable) connection.sync();
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve({
      columns: this.#columns,
      rows: this.#rows,
      rowsSeen: this.#rowsSeen,
      isComplete: this.#isComplete,
      rowsChanged: this.#rowsChanged,
    });
  }

  get #isEnough(): boolean {
    return this.#rows.length > RESULT_ROWS_MAX || this.#textBytes > TEXT_BYTES_MAX;
  }

  #fetch(connection: DriverConnection, rows: number): void {
    connection.execute({ portal: PORTAL, rows });
    connection.flush();
  }
}
