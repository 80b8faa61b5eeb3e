import type { Clock } from "@steward/kernel/clock.js";
import { PacedCheck } from "../paced-check.js";

/**
 * What the server says when it takes no writes at all, by SQLSTATE: for whoever can mend it. Reads may
 * go on meanwhile, so reading does not show it.
 */
export const WRITE_REFUSALS: ReadonlyMap<string, string> = new Map([
  ["53100", "PostgreSQL's disk is full: free space there"],
  ["25006", "PostgreSQL is read-only: name the primary server, or make this one writable"],
  ["58030", "PostgreSQL's disk fails: its log says why"],
]);

/**
 * Allocates a megabyte that is gone right away. A temporary table is not logged, but it takes space
 * as any other does, and needs a server that takes writes.
 */
const PROBE = `CREATE TEMPORARY TABLE steward_probe ON COMMIT DROP AS
  SELECT string_agg(md5(n::text), '') AS filler FROM generate_series(1, 32768) AS n`;
/** How often the server is asked whether it takes writes again, at most, in ms. */
const PROBE_EVERY_MS = 1000;

/** Remembers that the server has refused a write, until a probe shows that it takes them again. */
export class WriteRefusals {
  readonly #probe: PacedCheck;
  #isRefusing = false;

  /** @param query runs a statement; it rejects when that fails. */
  constructor(query: (sql: string) => Promise<unknown>, clock: Clock) {
    this.#probe = new PacedCheck(
      async () => {
        await query(PROBE);
        this.#isRefusing = false;
      },
      PROBE_EVERY_MS,
      clock,
    );
  }

  /** Looks at what a statement has failed with. */
  note(sqlState: string | undefined): void {
    if (sqlState !== undefined && WRITE_REFUSALS.has(sqlState)) this.#isRefusing = true;
  }

  /** Costs nothing where no write was refused. @throws what the probe fails with. */
  async check(): Promise<void> {
    if (this.#isRefusing) await this.#probe.run();
  }
}
