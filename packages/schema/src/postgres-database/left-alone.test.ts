import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { type Migration, MigrationService } from "../index.js";
import { proposed } from "../testing/proposed.js";
import { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
import { PostgresSchemaDatabase } from "./index.js";

const OPERATOR_CLASS = `CREATE FUNCTION compare(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT sign($1 - $2)::int';
  CREATE OPERATOR CLASS by_size FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =,
    OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 compare(int, int);`;
const TABLES = `CREATE TABLE orders (id int PRIMARY KEY, size int); CREATE INDEX by_size ON orders (size by_size);
  CREATE TABLE notes (id int PRIMARY KEY); INSERT INTO orders VALUES (1, 10);`;

// A dump leaves out unmanaged objects, and migrations keep them, so each change is proposed as the
// dump plus one line.
describe("a PostgreSQL database with objects that no migration makes", () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await freshDatabase();
  });
  afterEach(() => db[Symbol.asyncDispose]());

  function serviceAt(url: string): MigrationService {
    return new MigrationService({
      databases: new Map([["shop", new PostgresSchemaDatabase("shop", url)]]),
      repositories: memoryRepositories(),
      clock: systemClock,
      ids: systemIds(systemClock),
    });
  }
  async function propose(service: MigrationService, change: string): Promise<Migration> {
    const { sql } = await service.dump(ADMIN, "shop");
    const proposal = { database: "shop", sql: `${sql}\n;${change}`, message: "a change" };
    return proposed(await service.propose(ADMIN, proposal));
  }
  async function addsColumn(service: MigrationService, table: string): Promise<void> {
    const migration = await propose(service, `ALTER TABLE public.${table} ADD COLUMN added text`);
    expect(migration.operations).toMatchObject([{ action: "create", kind: "Column" }]);
    await service.apply(ADMIN, migration.id);
    await service.revert(ADMIN, migration.id, { acceptDataLoss: true });
    expect((await service.drift(ADMIN, "shop")).differences).toEqual([]);
  }

  it("has a column added to a table that rules, operator classes and clustered views depend on", async () => {
    await db.query(`${OPERATOR_CLASS} ${TABLES}
      CREATE RULE elsewhere AS ON DELETE TO orders WHERE old.size > 5 DO ALSO INSERT INTO notes VALUES (old.id);
      CREATE MATERIALIZED VIEW sizes AS SELECT size FROM orders; CREATE INDEX i ON sizes (size);
      ALTER MATERIALIZED VIEW sizes CLUSTER ON i`);
    await addsColumn(serviceAt(db.url), "orders");
    const [row] = await db.query(
      "SELECT (SELECT count(*)::int FROM pg_rules WHERE schemaname = 'public') AS rules, (SELECT size FROM sizes) AS size",
    );
    expect(row).toEqual({ rules: 1, size: 10 });
  });

  it("is migrated around an operator class by a user who could not make one", async () => {
    await db.query(`CREATE ROLE ${db.name} LOGIN CREATEDB PASSWORD 'p'; ALTER DATABASE ${db.name} OWNER TO ${db.name};
      ${OPERATOR_CLASS} ${TABLES} ALTER SCHEMA public OWNER TO ${db.name};
      ALTER TABLE orders OWNER TO ${db.name}; ALTER TABLE notes OWNER TO ${db.name};
      ALTER FUNCTION compare OWNER TO ${db.name}`);
    try {
      const url = new URL(db.url);
      [url.username, url.password] = [db.name, "p"];
      const service = serviceAt(url.href);
      await addsColumn(service, "orders");
      await expect(
        propose(service, "ALTER TABLE public.orders ALTER COLUMN size TYPE bigint"),
      ).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(
          /orders\.by_size needs public\.orders\.size,.*OPERATOR CLASS public\.by_size/,
        ),
      });
      expect(await db.query("SELECT FROM pg_indexes WHERE indexname = 'by_size'")).toHaveLength(1);
    } finally {
      await db.query(`REASSIGN OWNED BY ${db.name} TO CURRENT_USER; DROP OWNED BY ${db.name}`);
      await db.query(`DROP ROLE ${db.name}`);
    }
  });
});
