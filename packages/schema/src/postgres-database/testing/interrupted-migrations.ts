import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import type pg from "pg";
import { expect } from "vitest";
import { type Migration, MigrationService } from "../../index.js";
import { proposed } from "../../testing/proposed.js";
import { PostgresSchemaDatabase } from "../index.js";
import { connect } from "./transition.js";

const WAITS = { turnMs: 300, lockMs: 1000, indexMs: 20_000 };

/** Migrations of one database, which another session can hold up, and which can die. */
export class InterruptedMigrations implements AsyncDisposable {
  readonly db: TestDatabase;
  readonly service: MigrationService;
  /** Another session of the database. */
  readonly other: pg.Client;

  private constructor(db: TestDatabase, other: pg.Client) {
    this.db = db;
    this.other = other;
    this.service = new MigrationService({
      databases: new Map([["shop", new PostgresSchemaDatabase("shop", db.url, WAITS)]]),
      repositories: memoryRepositories(),
      clock: systemClock,
      ids: systemIds(systemClock),
    });
  }

  static async open(sql: string): Promise<InterruptedMigrations> {
    const db = await freshDatabase();
    await db.query(sql);
    return new InterruptedMigrations(db, await connect(db.url));
  }

  async propose(sql: string): Promise<Migration> {
    const found = await this.service.propose(ADMIN, { database: "shop", sql, message: "a change" });
    return proposed(found);
  }

  /** Opens a transaction that every index build waits for. */
  async holdBuilds(): Promise<void> {
    await this.other.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  }

  /** Waits until a statement of the migration waits for another session. */
  async untilWaiting(statement: "CREATE%INDEX" | "DROP INDEX" = "CREATE%INDEX"): Promise<void> {
    for (;;) {
      const waiting = await this.db.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'steward migrations'
           AND query LIKE '${statement} CONCURRENTLY%' AND wait_event_type = 'Lock'
           AND datname = current_database()`,
      );
      if (waiting.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Cuts the connection of a migration that waits for the other session, and ends that wait. */
  async dieWaiting(
    begun: Promise<unknown>,
    statement?: Parameters<InterruptedMigrations["untilWaiting"]>[0],
  ): Promise<void> {
    const lost = expect(begun).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await this.untilWaiting(statement);
    await this.db.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'steward migrations' AND datname = current_database()`,
    );
    await lost;
    await this.other.query("ROLLBACK");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.other.end();
    await this.db[Symbol.asyncDispose]();
  }
}
