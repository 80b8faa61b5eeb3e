import type { Clock } from "@steward/kernel/clock.js";
import { PacedCheck } from "../paced-check.js";

/**
 * Advice for operators when the server accepts no writes at all, by SQLSTATE. Reads may still
 * succeed, so reading does not detect this state.
 */
export const WRITE_REFUSALS: ReadonlyMap<string, string> = new Map([
  ["53100", "PostgreSQL's disk is full: free space there"],
  ["25006", "PostgreSQL is read-only: name the primary server, or make this one writable"],
  ["58030", "PostgreSQL's disk fails: its log says why"],
]);

/**
 * Allocates a megabyte temporarily. A temporary table is not logged, but it needs disk space like
 * any other and a server that accepts writes.
 */
const PROBE = `CREATE TEMPORARY TABLE steward_probe ON COMMIT DROP AS
  SELECT string_agg(md5(n::text), '') AS filler FROM generate_series(1, 32768) AS n`;
/** Minimum interval between two probes of the server, in ms. */
const PROBE_EVERY_MS = 1000;

/** Remembers that the server refuses writes, until a probe succeeds. */
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

  /** Checks the error of a statement for such a refusal. */
  note(sqlState: string | undefined): void {
    if (sqlState !== undefined && WRITE_REFUSALS.has(sqlState)) this.#isRefusing = true;
  }

  /** Free unless a write was refused. @throws the error of the probe. */
  async check(): Promise<void> {
    if (this.#isRefusing) await this.#probe.run();
  }
}
