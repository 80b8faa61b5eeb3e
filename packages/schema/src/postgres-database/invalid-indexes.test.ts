import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { type Migration, MigrationService } from "../index.js";
import { proposed } from "../testing/proposed.js";
import { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
import { PostgresSchemaDatabase } from "./index.js";

const ORDERS = "CREATE TABLE orders (id integer PRIMARY KEY, code text);";
const INDEX = "CREATE UNIQUE INDEX by_code ON orders (code);";
const VISITS = `CREATE TABLE visits (day integer NOT NULL, code text) PARTITION BY LIST (day);
  CREATE TABLE visits_1 PARTITION OF visits FOR VALUES IN (1);
  CREATE TABLE visits_2 PARTITION OF visits FOR VALUES IN (2);`;
const PARTITIONED_INDEX = "CREATE UNIQUE INDEX by_day ON visits (day, code);";

// The tests create invalid indexes as they occur in practice: with a build that duplicate rows have
// stopped, and by attaching only some partitions' indexes to a partitioned one.
describe("an invalid index of a PostgreSQL database", () => {
  let db: TestDatabase;
  let service: MigrationService;

  beforeEach(async () => {
    db = await freshDatabase();
    service = new MigrationService({
      databases: new Map([["shop", new PostgresSchemaDatabase("shop", db.url)]]),
      repositories: memoryRepositories(),
      clock: systemClock,
      ids: systemIds(systemClock),
    });
  });
  afterEach(() => db[Symbol.asyncDispose]());

  const propose = async (sql: string): Promise<Migration> =>
    proposed(await service.propose(ADMIN, { database: "shop", sql, message: "a change" }));
  const apply = async (sql: string) => service.apply(ADMIN, (await propose(sql)).id);
  const invalid = async () =>
    (
      await db.query("SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid")
    ).map(({ name }) => name);

  /** Makes an index build fail because of two duplicate rows, and deletes one of them. */
  async function failIndex(): Promise<void> {
    await db.query(ORDERS);
    await db.query("INSERT INTO orders VALUES (1, 'a'), (2, 'a')");
    await expect(
      db.query(INDEX.replace("INDEX", "INDEX CONCURRENTLY").replace(";", "")),
    ).rejects.toThrow("could not create unique index");
    await db.query("DELETE FROM orders WHERE id = 2");
    expect(await invalid()).toEqual(["by_code"]);
  }

  it("goes with the next migration when the wanted schema has none of its name", async () => {
    await failIndex();
    const migration = await propose(ORDERS.replace("text", "text, note text"));
    expect(migration.findings).toContainEqual(
      expect.objectContaining({ code: "invalid-index", object: "public.orders.by_code" }),
    );
    await service.apply(ADMIN, migration.id);
    expect(await invalid()).toEqual([]);
    expect((await service.drift(ADMIN, "shop")).differences).toEqual([]);
    await service.revert(ADMIN, migration.id, { acceptDataLoss: true });
    expect(await db.query("SELECT * FROM orders")).toEqual([{ id: 1, code: "a" }]);
    await expect(propose(ORDERS + INDEX)).resolves.toMatchObject({ status: "proposed" });
  });

  it("is built anew when the wanted schema has one of its name", async () => {
    await failIndex();
    await apply(ORDERS + INDEX);
    expect(await invalid()).toEqual([]);
    await expect(db.query("INSERT INTO orders VALUES (2, 'a')")).rejects.toThrow("by_code");
  });

  it("is named as drift with the way out when it came after a migration was proposed", async () => {
    await db.query(ORDERS);
    const { id } = await propose(ORDERS.replace("text", "text, note text"));
    await db.query("DROP TABLE orders");
    await failIndex();
    await expect(service.apply(ADMIN, id)).rejects.toMatchObject({
      code: "STATE_CONFLICT",
      message: expect.stringMatching(/by_code.*migrate-db drift --accept/s),
    });
    await service.acceptDrift(ADMIN, { database: "shop", message: "as it is" });
    await apply(ORDERS + INDEX);
    expect(await invalid()).toEqual([]);
  });

  it("is not taken for the valid one when it is partitioned and lacks a part", async () => {
    await db.query(
      VISITS +
        `CREATE UNIQUE INDEX by_day ON ONLY visits (day, code); CREATE UNIQUE INDEX one ON visits_1 (day, code);
         ALTER INDEX by_day ATTACH PARTITION one;`,
    );
    expect(await invalid()).toEqual(["by_day"]);
    const migration = await propose(VISITS + PARTITIONED_INDEX);
    await db.query("INSERT INTO visits VALUES (2, 'a'), (2, 'a')");
    await expect(service.apply(ADMIN, migration.id)).rejects.toMatchObject({ code: "STEP_FAILED" });
    expect(await invalid()).toEqual(["by_day"]);
    await db.query("TRUNCATE visits");
    await service.apply(ADMIN, migration.id);
    expect(await invalid()).toEqual([]);
    await db.query("INSERT INTO visits VALUES (2, 'a')");
    await expect(db.query("INSERT INTO visits VALUES (2, 'a')")).rejects.toThrow("duplicate key");
    await service.revert(ADMIN, migration.id);
    expect(await invalid()).toEqual(["by_day"]);
  });
});
