import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../database.js";
import { migrate, migrateAndDistribute } from "../migrate.js";
import { accessTables } from "../schema/access.js";
import { distributeAdded } from "./distribute.js";
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from "./tables.js";

/**
 * Simulates Citus on one PostgreSQL: its catalogs, and functions with its names that record in
 * these catalogs which tables to distribute. It moves no rows.
 */
const CITUS_STAND_IN = `
  INSERT INTO pg_extension
    SELECT 99999, 'citus', extowner, extnamespace, false, '0', NULL, NULL FROM pg_extension;
  CREATE TABLE pg_dist_node (groupid int, noderole text, isactive boolean, shouldhaveshards boolean);
  INSERT INTO pg_dist_node VALUES (0, 'primary', true, false);
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod text, repmodel text);
  CREATE TABLE pg_dist_object (classid oid, objid oid, distribution_argument_index int);
  CREATE FUNCTION create_reference_table(name text) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO pg_dist_partition VALUES (name::regclass, 'n', 't') $$;
  CREATE FUNCTION create_distributed_table(name text, key text, colocate_with text,
    shard_count int DEFAULT NULL) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO pg_dist_partition VALUES (name::regclass, 'h', 's') $$;
  CREATE FUNCTION create_distributed_function(name text, key text DEFAULT NULL,
    colocate_with text DEFAULT NULL) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO pg_dist_object VALUES ('pg_proc'::regclass, name::regprocedure,
         CASE WHEN key IS NOT NULL THEN 0 END) $$;`;

describe("a store on a Citus cluster", () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await freshDatabase();
    await database.query(CITUS_STAND_IN);
    db = new Database(database.url);
  });
  afterAll(async () => {
    await db[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("is left on one server until it is distributed", async () => {
    await migrate(db);
    expect(await database.query("SELECT FROM pg_dist_partition")).toEqual([]);
  });

  it("is not distributed while the cluster has no worker that would get a part of it", async () => {
    await expect(migrateAndDistribute(db)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("citus_add_node") as string,
    });
    expect(await database.query("SELECT FROM pg_dist_partition")).toEqual([]);
    await database.query("INSERT INTO pg_dist_node VALUES (1, 'primary', true, true)");
  });

  it("has every table and function placed once, however many distribute it at once", async () => {
    const runs = await Promise.all([1, 2, 3].map(() => migrateAndDistribute(db)));
    expect(runs.filter(({ statements }) => statements.length > 0)).toHaveLength(1);
    const placed = await database.query(
      "SELECT logicalrelid::text AS name FROM pg_dist_partition ORDER BY name",
    );
    const all = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES].sort();
    expect(placed.map((row) => String(row["name"]))).toEqual(all);
    const functions = await database.query(
      `SELECT objid::regprocedure::text AS name, distribution_argument_index AS key
       FROM pg_dist_object ORDER BY name`,
    );
    expect(functions).toContainEqual({ name: "steward_now_ms()", key: null });
    expect(functions.filter((row) => row["key"] === 0).length).toBeGreaterThan(4);
  });

  it("has the tables that a later migration adds placed with them", async () => {
    await database.query(`DROP TABLE policies, api_keys, browser_sessions;
      DELETE FROM pg_dist_partition AS p
        WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = p.logicalrelid)`);
    await db.transaction(async (connection) => {
      for (const statement of accessTables) await connection.query(statement);
      await distributeAdded(connection);
    });
    const placed = await database.query(
      `SELECT logicalrelid::text AS name, partmethod FROM pg_dist_partition
       WHERE logicalrelid IN ('policies'::regclass, 'api_keys'::regclass) ORDER BY name`,
    );
    // Keys stay on the coordinator.
    expect(placed).toEqual([{ name: "policies", partmethod: "h" }]);
    expect((await migrateAndDistribute(db)).statements).toEqual([]);
  });

  it("changes nothing when one of its statements fails", async () => {
    await database.query(`DELETE FROM pg_dist_partition;
      ALTER TABLE pg_dist_partition ADD CHECK (logicalrelid <> 'policies'::regclass)`);
    await expect(migrateAndDistribute(db)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(await database.query("SELECT FROM pg_dist_partition")).toEqual([]);
  });
});
