import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { MigrationService } from "../index.js";
import { proposed } from "../testing/proposed.js";
import { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
import { PostgresSchemaDatabase } from "./index.js";
import { pgDumpOutput } from "./testing/pg-dump-output.js";

describe("a wanted schema of PostgreSQL", () => {
  let db: TestDatabase;
  let service: MigrationService;
  /** The user's name, quoted for SQL. */
  let owner: string;

  beforeAll(async () => {
    db = await freshDatabase();
    const [row] = await db.query("SELECT quote_ident(current_user) AS owner");
    owner = String(row?.["owner"]);
    service = new MigrationService({
      databases: new Map([["shop", new PostgresSchemaDatabase("shop", db.url)]]),
      repositories: memoryRepositories(),
      clock: systemClock,
      ids: systemIds(systemClock),
    });
  });
  afterAll(() => db[Symbol.asyncDispose]());

  const propose = (sql: string) =>
    service.propose(ADMIN, { database: "shop", sql, message: "as it is dumped" });
  const refusal = (sql: string): Promise<string> =>
    propose(sql).then(
      () => "",
      (error: unknown) => String(error),
    );

  it("may be the output of pg_dump, and is the same schema once it is applied", async () => {
    const dump = pgDumpOutput(owner);
    await service.apply(ADMIN, proposed(await propose(dump)).id);
    expect(await propose(dump)).toMatchObject({ status: "unchanged", database: "shop" });
    expect(
      await db.query("SELECT obj_description('public.customers'::regclass) AS comment"),
    ).toEqual([{ comment: "Who buys" }]);
  });

  it("names the roles that the server does not have, and what to do about them", async () => {
    const dump = `CREATE TABLE t (a int);\nALTER TABLE t OWNER TO nobody_here;
      GRANT SELECT ON t TO "Nobody else", PUBLIC, nobody_here`;
    expect(await refusal(dump)).toMatch(
      /no role "nobody_here" \(line 2\), "Nobody else" \(line 3\): make them there first \(CREATE ROLE "nobody_here"\), or .*pg_dump --no-owner --no-privileges/,
    );
  });

  it("may hold what no migration makes only if the database has it", async () => {
    const trigger =
      "CREATE EVENT TRIGGER watch ON ddl_command_end EXECUTE FUNCTION public.watch();";
    const wanted = `${pgDumpOutput(owner)}
      CREATE FUNCTION public.watch() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
      ${trigger}`;
    expect(await refusal(wanted)).toMatch(/event trigger watch: no migration makes such an object/);
    expect(await refusal("CREATE TYPE c")).toMatch(
      /shell type public\.c: no migration makes such an object/,
    );
    await service.apply(ADMIN, proposed(await propose(wanted.replace(trigger, ""))).id);
    await db.query(trigger);
    await service.acceptDrift(ADMIN, { database: "shop", message: "made by hand" });
    expect(await propose(wanted)).toMatchObject({ status: "unchanged" });
    await db.query("DROP EVENT TRIGGER watch");
    await service.acceptDrift(ADMIN, { database: "shop", message: "dropped by hand" });
  });

  it("leaves an extension whose version it does not say as it is", async () => {
    const dump = pgDumpOutput(owner);
    await db.query("CREATE EXTENSION pg_trgm VERSION '1.5'");
    await service.acceptDrift(ADMIN, { database: "shop", message: "made by hand" });
    const written = (version: string) =>
      `CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public${version}; ${dump}
      CREATE FUNCTION public.watch() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';`;
    expect(await propose(written(""))).toMatchObject({ status: "unchanged" });
    expect(proposed(await propose(written(" VERSION '1.6'"))).operations).toMatchObject([
      { kind: "Extension", path: "pg_trgm", changes: [{ before: "1.5", after: "1.6" }] },
    ]);
    await db.query("DROP EXTENSION pg_trgm");
    await service.acceptDrift(ADMIN, { database: "shop", message: "dropped by hand" });
  });

  it("is refused by the place of the statement that PostgreSQL does not take", async () => {
    expect(await refusal("CREATE TABLE t (a int);\n\nCREATE INDEX i\n  ON u (a);")).toContain(
      'line 3: PostgreSQL refuses CREATE INDEX i ON u (a): relation "u" does not exist',
    );
  });
});
