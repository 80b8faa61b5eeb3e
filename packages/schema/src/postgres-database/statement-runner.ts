import type pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import { isConnectionLost, isOutcomeUnknown, sqlStateOf } from "@steward/postgres";
import type { LockWatch } from "./lock-watch.js";
import { reasonOf } from "./session.js";

/** Runs the statements of a migration, and classifies their errors. */
export class StatementRunner {
  readonly #client: pg.Client;
  readonly #watch: LockWatch;
  #isLost = false;

  constructor(client: pg.Client, watch: LockWatch) {
    this.#client = client;
    this.#watch = watch;
    client.on("end", () => (this.#isLost = true));
  }

  /**
   * Whether the connection was lost. The statement that was running may or may not have taken
   * effect.
   */
  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * @throws AppError `STEP_FAILED` with the engine's reason; `STATE_CONFLICT` after a lock
   * time-out, naming the blockers; `STORE_UNAVAILABLE` when the connection was lost.
   */
  async run(sql: string): Promise<void> {
    try {
      await this.#watch.during(() => this.#client.query(sql));
    } catch (error) {
      throw this.#classified(sql, error);
    }
  }

  /**
   * Commits. When the connection is lost meanwhile, it is unknown whether the transaction took
   * effect.
   */
  async commit(): Promise<void> {
    await this.run("COMMIT");
  }

  #classified(sql: string, cause: unknown): AppError {
    const code = sqlStateOf(cause);
    this.#isLost ||= code === undefined || isConnectionLost(cause);
    if (this.#isLost || (sql === "COMMIT" && isOutcomeUnknown(cause))) {
      const doubt =
        sql === "COMMIT"
          ? "running the migration again finds out whether the transaction took effect"
          : "its transaction is rolled back";
      const what = this.#isLost ? "The connection was lost" : "PostgreSQL gave no clear answer";
      return new AppError("STORE_UNAVAILABLE", `${what} at ${shortened(sql)}: ${doubt}`, {
        cause,
        retryAfterMs: 1000,
      });
    }
    if (code === LOCK_NOT_AVAILABLE) return this.#lockRefused(sql, cause);
    return new AppError("STEP_FAILED", `PostgreSQL refuses ${sql}: ${reasonOf(cause)}`, { cause });
  }

  #lockRefused(sql: string, cause: unknown): AppError {
    const { blockers } = this.#watch;
    const who = blockers.length === 0 ? "somebody" : blockers.join("; ");
    return new AppError(
      "STATE_CONFLICT",
      `${shortened(sql)} waited too long for a lock, which is held by ${who}: ` +
        "end that transaction or wait for it, and run the migration again",
      { cause, retryAfterMs: 1000 },
    );
  }
}

const LOCK_NOT_AVAILABLE = "55P03";
/** Characters of a statement quoted in an error. */
const STATEMENT_LENGTH_MAX = 200;

function shortened(sql: string): string {
  return sql.length <= STATEMENT_LENGTH_MAX ? sql : `${sql.slice(0, STATEMENT_LENGTH_MAX)}…`;
}
