import type { TestDatabase } from "@steward/test-postgres";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import type { Migration, MigrationService } from "../index.js";
import { InterruptedMigrations } from "./testing/interrupted-migrations.js";

const SCHEMA = "CREATE TABLE orders (id integer PRIMARY KEY, code text, total integer);";
/** A transaction that adds a column and a table; then two indexes that are built concurrently. */
const WANTED = `CREATE TABLE orders (id integer PRIMARY KEY, code text, total integer, note text);
  CREATE TABLE notes (id integer PRIMARY KEY);
  CREATE INDEX a_first ON orders (total);
  CREATE UNIQUE INDEX b_second ON orders (code);`;

describe("a migration of several transactions on PostgreSQL", () => {
  let migrations: InterruptedMigrations;
  let db: TestDatabase;
  let service: MigrationService;
  let other: pg.Client;

  beforeEach(async () => {
    migrations = await InterruptedMigrations.open(
      `${SCHEMA} INSERT INTO orders VALUES (1, 'a', 10), (2, 'b', 20)`,
    );
    ({ db, service, other } = migrations);
  });
  afterEach(() => migrations[Symbol.asyncDispose]());

  const propose = (sql: string): Promise<Migration> => migrations.propose(sql);
  const differences = async () => (await service.drift(ADMIN, "shop")).differences;
  const tables = async () =>
    (await db.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"))
      .map(({ tablename }) => String(tablename))
      .filter((name) => !name.startsWith("_steward_"));
  const columns = async (table: string) =>
    (
      await db.query(
        `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}' ORDER BY 1`,
      )
    ).map(({ name }) => name);

  /** Starts to apply or to undo, and cuts the process's connection during the index build. */
  async function dieAtIndex(id: string, action: "apply" | "undo" = "apply"): Promise<void> {
    await migrations.holdBuilds();
    await migrations.dieWaiting(service[action](ADMIN, id));
  }

  it("leaves the tables of others alone when it is refused for drift", async () => {
    const { id } = await propose(WANTED);
    await db.query("CREATE TABLE theirs (id integer); INSERT INTO theirs VALUES (1)");
    await expect(service.apply(ADMIN, id)).rejects.toMatchObject({
      code: "STATE_CONFLICT",
      message: expect.stringContaining("theirs"),
    });
    expect(await db.query("SELECT * FROM theirs")).toHaveLength(1);
    expect(await columns("orders")).toEqual(["code", "id", "total"]);
  });

  it("leaves everything alone when another migration is under way", async () => {
    const { id } = await propose(WANTED);
    await db.query("CREATE TABLE theirs (id integer); INSERT INTO theirs VALUES (1)");
    await other.query("SELECT pg_advisory_lock(5281736450182)");
    await expect(service.apply(ADMIN, id)).rejects.toMatchObject({
      code: "STATE_CONFLICT",
      message: expect.stringContaining("is running"),
    });
    expect(await db.query("SELECT * FROM theirs")).toHaveLength(1);
  });

  it("takes back what it did, and nothing of what others did meanwhile, when a later part fails", async () => {
    const { id } = await propose(WANTED);
    await db.query("INSERT INTO orders VALUES (3, 'a', 30)");
    await migrations.holdBuilds();
    const failed = expect(service.apply(ADMIN, id)).rejects.toMatchObject({
      code: "STEP_FAILED",
      message: expect.stringMatching(/could not create unique index.*were undone/s),
    });
    await migrations.untilWaiting();
    await db.query("CREATE TABLE theirs (id integer); INSERT INTO theirs VALUES (1)");
    await other.query("COMMIT");
    await failed;
    expect(await db.query("SELECT * FROM theirs")).toHaveLength(1);
    expect(await tables()).toEqual(["orders", "theirs"]);
    expect(await columns("orders")).toEqual(["code", "id", "total"]);
    expect(await db.query("SELECT FROM pg_indexes WHERE tablename = 'orders'")).toHaveLength(1);
    expect((await differences()).map(({ path }) => path)).toEqual(["public.theirs"]);
  });

  it("stays half way rather than lose rows that others have put into what it made", async () => {
    const { id } = await propose(WANTED);
    await db.query("INSERT INTO orders VALUES (3, 'a', 30)");
    await migrations.holdBuilds();
    const failed = expect(service.apply(ADMIN, id)).rejects.toMatchObject({
      message: expect.stringMatching(
        /stopped before its end.*public\.notes has rows.*resume.*undo/s,
      ),
    });
    await migrations.untilWaiting();
    await db.query("INSERT INTO notes VALUES (7)");
    await other.query("COMMIT");
    await failed;
    expect(await db.query("SELECT id FROM notes")).toEqual([{ id: 7 }]);
    await expect(propose(SCHEMA)).rejects.toMatchObject({
      code: "STATE_CONFLICT",
      message: expect.stringContaining(`migrate-db undo ${id}`),
    });
    await expect(service.undo(ADMIN, id)).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    await db.query("DELETE FROM orders WHERE id = 3");
    expect((await service.resume(ADMIN, id)).status).toBe("applied");
    expect(await db.query("SELECT id FROM notes")).toEqual([{ id: 7 }]);
    expect(await differences()).toEqual([]);
  });

  it("is taken back to the end though the process died while an index was made again that the engine then finished", async () => {
    const gone = "CREATE INDEX gone ON orders ((total + id))";
    await db.query(gone);
    const { id } = await propose(WANTED);
    await dieAtIndex(id);
    await dieAtIndex(id, "undo");
    expect((await service.unfinishedRun(ADMIN, id))?.begunIndex).toContain("gone");
    await db.query(`DROP INDEX gone; ${gone}`);
    expect((await service.resume(ADMIN, id)).status).toBe("proposed");
    expect(await service.unfinishedRun(ADMIN, id)).toBeUndefined();
    expect(await differences()).toEqual([]);
  });

  it("goes on, when asked to, where its process died", async () => {
    const { id } = await propose(WANTED);
    await dieAtIndex(id);
    const run = await service.unfinishedRun(ADMIN, id);
    expect(run).toMatchObject({ unitsDone: 1, unitCount: 3, begunIndex: '"public"."a_first"' });
    await expect(service.apply(ADMIN, id)).rejects.toMatchObject({
      code: "STATE_CONFLICT",
      message: expect.stringContaining("stopped before its end"),
    });
    expect((await service.resume(ADMIN, id)).status).toBe("applied");
    expect(await differences()).toEqual([]);
    expect(await service.unfinishedRun(ADMIN, id)).toBeUndefined();
    await service.revert(ADMIN, id, { acceptDataLoss: true });
    expect(await columns("orders")).toEqual(["code", "id", "total"]);
  });

  it("is taken back, when asked to, where its process died, with what others made left as it is", async () => {
    const { id } = await propose(WANTED);
    await dieAtIndex(id);
    await db.query("CREATE TABLE theirs (id integer)");
    expect((await service.undo(ADMIN, id)).status).toBe("proposed");
    expect(await tables()).toEqual(["orders", "theirs"]);
    expect(await columns("orders")).toEqual(["code", "id", "total"]);
    expect(await db.query("SELECT FROM pg_index WHERE NOT indisvalid")).toEqual([]);
    await db.query("DROP TABLE theirs");
    expect((await service.apply(ADMIN, id)).status).toBe("applied");
  });

  it("is neither resumed nor taken back over what others have changed of it", async () => {
    const { id } = await propose(WANTED);
    await dieAtIndex(id);
    await db.query("DROP TABLE notes; CREATE TABLE notes (id integer PRIMARY KEY)");
    for (const attempt of [service.resume(ADMIN, id), service.undo(ADMIN, id)]) {
      await expect(attempt).rejects.toMatchObject({
        code: "STATE_CONFLICT",
        message: expect.stringContaining("notes"),
      });
    }
    await db.query("DROP TABLE notes");
    await expect(service.undo(ADMIN, id)).rejects.toMatchObject({ code: "STATE_CONFLICT" });
    await service.acceptDrift(ADMIN, { database: "shop", message: "as it is" });
    expect(await service.unfinishedRun(ADMIN, id)).toBeUndefined();
    await expect(propose(SCHEMA)).resolves.toMatchObject({ status: "proposed" });
  });

  it("does not take an index along that somebody made on the column which goes", async () => {
    const { id } = await propose(WANTED);
    await dieAtIndex(id);
    await db.query("CREATE INDEX their_index ON orders (note)");
    await expect(service.undo(ADMIN, id)).rejects.toMatchObject({
      message: expect.stringContaining("their_index"),
    });
    expect((await service.resume(ADMIN, id)).status).toBe("applied");
    expect((await differences()).map(({ path }) => path)).toEqual(["public.orders.their_index"]);
  });

  it("leaves no invalid index when the index is all there is to it", async () => {
    const { id } = await propose(SCHEMA + "CREATE UNIQUE INDEX by_code ON orders (code);");
    await db.query("INSERT INTO orders VALUES (3, 'a', 30)");
    await expect(service.apply(ADMIN, id)).rejects.toMatchObject({
      code: "STEP_FAILED",
      message: expect.stringMatching(/^Nothing was changed: /),
    });
    expect(await differences()).toEqual([]);
    await db.query("DELETE FROM orders WHERE id = 3");
    expect((await service.apply(ADMIN, id)).status).toBe("applied");
  });

  it("waits longer for an index than for the locks of a transaction, and says who holds one", async () => {
    const index = await propose(SCHEMA + "CREATE UNIQUE INDEX by_code ON orders (code);");
    await migrations.holdBuilds();
    const applied = service.apply(ADMIN, index.id);
    await migrations.untilWaiting();
    const held = await other.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    expect(await service.unfinishedRun(ADMIN, index.id)).toMatchObject({
      isUnderWay: true,
      activity: expect.stringMatching(
        new RegExp(`making an index: .* waiting for process ${String(held.rows[0]?.pid)} `),
      ),
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await other.query("COMMIT");
    expect((await applied).status).toBe("applied");
    const column = await propose(
      SCHEMA.replace("total integer", "total integer, note text") +
        "CREATE UNIQUE INDEX by_code ON orders (code);",
    );
    await other.query("BEGIN; SELECT count(*) FROM orders");
    const { rows } = await other.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await expect(service.apply(ADMIN, column.id)).rejects.toMatchObject({
      code: "STATE_CONFLICT",
      message: expect.stringMatching(
        new RegExp(`^Nothing was changed: .*process ${String(rows[0]?.pid)} of`),
      ),
    });
  });
});
