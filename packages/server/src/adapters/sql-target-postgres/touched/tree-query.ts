import type { Connection, Submittable } from "pg";

/** The part of the driver's connection that is used; its types do not describe the messages. */
interface DriverConnection extends Pick<Connection, "stream" | "sync"> {
  parse(message: { readonly text: string; readonly types: readonly number[] }): void;
}

/**
 * A statement's tree as it is written, or with the views, rules, policies and column defaults that the rewriter
 * adds. The names are those of the settings that have PostgreSQL report the trees.
 */
export type TreeStage = "debug_print_parse" | "debug_print_rewritten";

/** How PostgreSQL begins the notice of a tree. */
export const TREE_TITLES: Readonly<Record<TreeStage, string>> = {
  debug_print_parse: "parse tree",
  debug_print_rewritten: "rewritten parse tree",
};

/**
 * Has PostgreSQL parse a statement, which makes it report the query tree in a notice, without
 * running it.
 */
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
    // The server continues with the next message, which was sent already.
    this.#hasFailed = true;
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (!this.#hasFailed) this.#resolve();
  }
}
