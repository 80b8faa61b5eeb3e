import pg from "pg";

/** Pause between two reads of the altered table, in ms. */
const PAUSE_MS = 3;

/** Reads a table repeatedly in a thread of its own, and records the slowest read. */
export class LockProbe {
  readonly #client: pg.Client;
  readonly #sql: string;
  #isStopped = false;
  #slowestMs = 0;
  #done: Promise<void> = Promise.resolve();

  constructor(url: string, table: string) {
    this.#client = new pg.Client({ connectionString: url });
    this.#sql = `SELECT id FROM ${table} LIMIT 1`;
  }

  async start(): Promise<void> {
    await this.#client.connect();
    this.#done = this.#run();
  }

  /** @returns the slowest read, in ms. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.#done;
    await this.#client.end();
    return this.#slowestMs;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const began = performance.now();
      await this.#client.query(this.#sql);
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
