import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { LOCK_MODES } from "../index.js";
import { InterruptedMigrations } from "./testing/interrupted-migrations.js";

const orders = (more = ""): string =>
  `CREATE TABLE orders (id integer NOT NULL, code text, total integer NOT NULL${more});`;
const BY_CODE = "CREATE UNIQUE INDEX by_code ON orders (code);";
const WIDER = "CREATE UNIQUE INDEX by_code ON orders (code) INCLUDE (total);";
const ROWS = "INSERT INTO orders VALUES (1, 'a', 10), (2, 'b', 20);";

/** Each change of an index or key: the schema before, and after. */
const CHANGES: readonly (readonly [string, string, string])[] = [
  ["an index gets another column", orders() + BY_CODE, orders() + WIDER],
  [
    "an index changes by which the table is clustered",
    `${orders()} CREATE INDEX i ON orders (total); ALTER TABLE orders CLUSTER ON i; COMMENT ON INDEX i IS 'x';`,
    `${orders()} CREATE INDEX i ON orders (total, id); ALTER TABLE orders CLUSTER ON i; COMMENT ON INDEX i IS 'x';`,
  ],
  ["a UNIQUE constraint comes", orders(), orders(", UNIQUE (code)")],
  [
    "a deferred UNIQUE constraint with options comes",
    orders(),
    orders(
      `, CONSTRAINT "Of (it)" UNIQUE NULLS NOT DISTINCT (code, total) INCLUDE (id) WITH (fillfactor = 70) DEFERRABLE INITIALLY DEFERRED`,
    ),
  ],
  ["a UNIQUE constraint changes", orders(", UNIQUE (code)"), orders(", UNIQUE (code) DEFERRABLE")],
  ["a primary key comes", orders(), orders(", PRIMARY KEY (id)")],
  [
    "a primary key of columns that were nullable comes, with a foreign key",
    orders(),
    `${orders(", PRIMARY KEY (code)")} CREATE TABLE lines (code text REFERENCES orders);
     COMMENT ON CONSTRAINT orders_pkey ON orders IS 'x';`,
  ],
  ["a primary key changes", orders(", PRIMARY KEY (id)"), orders(", PRIMARY KEY (total, id)")],
];

describe("an index of a PostgreSQL table in use", () => {
  let migrations: InterruptedMigrations;

  afterEach(() => migrations[Symbol.asyncDispose]());

  const differences = async () => (await migrations.service.drift(ADMIN, "shop")).differences;

  /** The locks on the table that block readers or writers, held or requested by the migration. */
  async function blockingLocks(): Promise<readonly unknown[]> {
    const weak = LOCK_MODES.slice(0, LOCK_MODES.indexOf("SHARE"));
    const modes = weak.map((mode) => `'${mode.replaceAll(" ", "")}LOCK'`).join(", ");
    return migrations.db.query(
      `SELECT mode, relation::regclass FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE application_name = 'steward migrations' AND datname = current_database()
         AND relation = 'orders'::regclass AND upper(mode) NOT IN (${modes})`,
    );
  }

  /** Runs a migration, and reads and writes the table while the index is built. */
  async function runInUse(run: () => Promise<unknown>): Promise<void> {
    await migrations.holdBuilds();
    const running = run();
    await migrations.untilWaiting();
    expect(await blockingLocks()).toEqual([]);
    await migrations.db.query("SET lock_timeout = 1; SELECT * FROM orders");
    await migrations.db.query("INSERT INTO orders VALUES (3, 'c', 30)");
    await migrations.db.query("DELETE FROM orders WHERE id = 3");
    await migrations.other.query("COMMIT");
    await running;
    expect(await differences()).toEqual([]);
    expect(
      await migrations.db.query("SELECT FROM pg_class WHERE relname ~ '^_steward_(new|old)'"),
    ).toEqual([]);
  }

  it.each(CHANGES)("is read and written while %s, there and back", async (_what, base, wanted) => {
    migrations = await InterruptedMigrations.open(base + ROWS);
    const { service } = migrations;
    const { id } = await migrations.propose(wanted);
    await runInUse(() => service.apply(ADMIN, id));
    const isBuiltBack = /INDEX|UNIQUE|PRIMARY/.test(base);
    const revert = () => service.revert(ADMIN, id, { acceptDataLoss: true });
    await (isBuiltBack ? runInUse(revert) : revert());
    expect(await differences()).toEqual([]);
  });

  describe("that changes", () => {
    let id: string;

    beforeEach(async () => {
      migrations = await InterruptedMigrations.open(orders() + BY_CODE + ROWS);
      ({ id } = await migrations.propose(orders() + WIDER));
    });

    const definition = async () =>
      (await migrations.db.query("SELECT indexdef FROM pg_indexes WHERE tablename = 'orders'")).map(
        ({ indexdef }) => String(indexdef).replace("public.", ""),
      );
    const [before, after] = [BY_CODE, WIDER].map((sql) => [
      sql.replace("orders", "orders USING btree").slice(0, -1),
    ]);

    it("holds until its successor is complete, and goes on holding when the build fails", async () => {
      await migrations.holdBuilds();
      const failed = expect(migrations.service.apply(ADMIN, id)).rejects.toMatchObject({
        code: "STEP_FAILED",
        message: expect.stringMatching(/^Nothing was changed/),
      });
      await migrations.untilWaiting();
      await expect(migrations.db.query("INSERT INTO orders VALUES (3, 'a', 30)")).rejects.toThrow(
        "by_code",
      );
      await migrations.db.query(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'steward migrations' AND datname = current_database()",
      );
      await failed;
      await migrations.other.query("ROLLBACK");
      expect(await definition()).toEqual(before);
      expect(await differences()).toEqual([]);
    });

    it.each(["resume", "undo"] as const)(
      "can be %sd after the process died while its successor was built",
      async (action) => {
        const { service } = migrations;
        await migrations.holdBuilds();
        await migrations.dieWaiting(service.apply(ADMIN, id));
        await service[action](ADMIN, id);
        expect(await definition()).toEqual(action === "resume" ? after : before);
        expect(await differences()).toEqual([]);
      },
    );

    it.each(["resume", "undo"] as const)(
      "can be %sd after the process died while it was dropped",
      async (action) => {
        const { service, other } = migrations;
        await other.query("BEGIN; SELECT * FROM orders");
        await migrations.dieWaiting(service.apply(ADMIN, id), "DROP INDEX");
        const run = await service.unfinishedRun(ADMIN, id);
        expect(run).toMatchObject({ unitsDone: 3, unitCount: 3 });
        expect(run?.begunIndex).toContain("_steward_old_1_by_code");
        const { status } = await service[action](ADMIN, id);
        expect(status).toBe(action === "resume" ? "applied" : "proposed");
        expect(await definition()).toEqual(action === "resume" ? after : before);
        expect(await differences()).toEqual([]);
      },
    );
  });
});
