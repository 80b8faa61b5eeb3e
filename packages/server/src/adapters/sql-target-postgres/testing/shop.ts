import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import type { SqlAnalyzer } from "../../../governance/index.js";
import { silentLog } from "@steward/kernel/log.js";
import { PostgresAnalyzer } from "../../sql-analyzer/postgres-analyzer.js";
import type { TargetFixture } from "../../testing/target-fixture.js";
import { PostgresTarget, type PostgresTargetOptions } from "../postgres-target.js";

const SCHEMA = `
  CREATE TABLE users (id integer PRIMARY KEY, name text NOT NULL);
  CREATE TABLE log (line text NOT NULL);
  INSERT INTO users VALUES (1, 'Ada'), (2, 'Bo');
`;

const ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (1::bigint) UNION ALL SELECT i + 1 FROM n)";

/** A data source in a new database. */
export interface Shop extends TargetFixture {
  readonly target: PostgresTarget;
  readonly database: TestDatabase;
}

let analyzer: Promise<SqlAnalyzer> | undefined;

/** Options of a target; the defaults are suitable for tests. */
export async function shopOptions(
  options: Partial<PostgresTargetOptions> & Pick<PostgresTargetOptions, "url">,
): Promise<PostgresTargetOptions> {
  analyzer ??= PostgresAnalyzer.load();
  return { name: "shop", analyzer: await analyzer, log: silentLog, ...options };
}

export async function openShop(options: Partial<PostgresTargetOptions> = {}): Promise<Shop> {
  const database = await freshDatabase();
  await database.query(SCHEMA);
  const target = new PostgresTarget(await shopOptions({ url: database.url, ...options }));
  return {
    target,
    database,
    parameter: (number) => `$${number}`,
    endlessRead: `${ENDLESS} SELECT max(i) FROM n`,
    columnTypes: [{ name: "id", type: 23 }],
    endlessWrite: `INSERT INTO log ${ENDLESS} SELECT max(i)::text FROM n`,
    async lines() {
      return (await database.query("SELECT line FROM log")).map((row) => row["line"] as string);
    },
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
