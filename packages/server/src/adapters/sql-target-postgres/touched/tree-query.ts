import type { Connection, Submittable } from "pg";

/** What the driver passes on; its own types do not describe the messages. */
interface DriverConnection extends Pick<Connection, "stream" | "sync"> {
  parse(message: { readonly text: string; readonly types: readonly number[] }): void;
}

/** Has the server parse a statement, by which it says the statement's tree in a notice, and no more. */
export class TreeQuery implements Submittable {
  readonly result: Promise<void>;
  readonly #sql: string;
  readonly #types: readonly number[];
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #hasFailed = false;

  constructor(sql: string, types: readonly number[]) {
    this.#sql = sql;
    this.#types = types;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(driver: Connection): void {
    const connection = driver as unknown as DriverConnection;
    connection.stream.cork();
    connection.parse({ text: this.#sql, types: this.#types });
    connection.sync();
    connection.stream.uncork();
  }

  handleError(error: Error): void {
    // The server goes on with the message that follows already.
    this.#hasFailed = true;
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (!this.#hasFailed) this.#resolve();
  }
}
