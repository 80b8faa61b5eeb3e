import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
import { MigrationService } from "../index.js";
import type { SchemaDatabase } from "../ports.js";
import { proposed } from "./proposed.js";

/** A schema, a copy of it with swapped names, and rows that identify each object. */
export interface NameSwap {
  readonly base: string;
  readonly wanted: string;
  readonly rows: string;
  readonly query: string;
  /** Result of the query before and after. */
  readonly before: object;
  readonly after: object;
}

const ROWS =
  "INSERT INTO a VALUES (1, 7); INSERT INTO b VALUES (2, 8); INSERT INTO c VALUES (3, 9);";
const READ = "SELECT a.y AS a, b.y AS b, c.y AS c FROM a, b, c";

/** Swaps that work on both engines. Only the rows distinguish the two schemas. */
export const NAME_SWAPS: Readonly<Record<string, NameSwap>> = {
  "two tables": {
    base: "CREATE TABLE a (x int, y int); CREATE TABLE b (x int, y int); CREATE TABLE c (x int, y int);",
    wanted: `CREATE TABLE b /* @renamed from=a */ (x int, y int);
      CREATE TABLE a /* @renamed from=b */ (x int, y int); CREATE TABLE c (x int, y int);`,
    ...{ rows: ROWS, query: READ, before: { a: 7, b: 8, c: 9 }, after: { a: 8, b: 7, c: 9 } },
  },
  "three tables in a circle, and two columns of one of them": {
    base: "CREATE TABLE a (x int, y int); CREATE TABLE b (x int, y int); CREATE TABLE c (x int, y int);",
    wanted: `CREATE TABLE b /* @renamed from=a */ (y int /* @renamed from=x */, x int /* @renamed from=y */);
      CREATE TABLE c /* @renamed from=b */ (x int, y int); CREATE TABLE a /* @renamed from=c */ (x int, y int);`,
    ...{ rows: ROWS, query: READ, before: { a: 7, b: 8, c: 9 }, after: { a: 9, b: 1, c: 8 } },
  },
  "three columns in a circle, under a check that names two": {
    base: "CREATE TABLE t (a int, b int, c int, CHECK (a < b));",
    wanted: `CREATE TABLE t (b int /* @renamed from=a */, c int /* @renamed from=b */,
      a int /* @renamed from=c */, CHECK (b < c));`,
    rows: "INSERT INTO t VALUES (1, 2, 3)",
    query: "SELECT a, b, c FROM t",
    ...{ before: { a: 1, b: 2, c: 3 }, after: { a: 3, b: 1, c: 2 } },
  },
  "two tables with keys, that a view and a foreign key go on calling as they did": {
    base: `CREATE TABLE a (x int PRIMARY KEY, y int); CREATE TABLE b (x int PRIMARY KEY, y int);
      CREATE TABLE k (a int REFERENCES a (x)); CREATE VIEW v AS SELECT a.y AS y FROM a;`,
    wanted: `CREATE TABLE b /* @renamed from=a */ (x int PRIMARY KEY, y int);
      CREATE TABLE a /* @renamed from=b */ (x int PRIMARY KEY, y int);
      CREATE TABLE k (a int REFERENCES a (x)); CREATE VIEW v AS SELECT a.y AS y FROM a;`,
    rows: "INSERT INTO a VALUES (1, 7); INSERT INTO b VALUES (1, 8); INSERT INTO k VALUES (1);",
    query: "SELECT a.y AS a, b.y AS b, v.y AS v FROM a, b, v",
    ...{ before: { a: 7, b: 8, v: 7 }, after: { a: 8, b: 7, v: 8 } },
  },
};

/** Query results at each stage of a swap. */
export interface SwapResult {
  readonly before: unknown;
  readonly after: unknown;
  /** After a second migration, whose process died between the change and its record. */
  readonly recorded: unknown;
  readonly reverted: unknown;
}

/**
 * Applies a swap twice: once normally and back, and once by a process that dies before it records
 * the change.
 */
export async function swapResult(
  database: SchemaDatabase,
  run: (sql: string) => Promise<readonly object[]>,
  { base, wanted, rows, query }: NameSwap,
): Promise<SwapResult> {
  const service = new MigrationService({
    databases: new Map([["shop", database]]),
    repositories: memoryRepositories(),
    clock: systemClock,
    ids: systemIds(systemClock),
  });
  const read = async (): Promise<object | undefined> => (await run(query))[0];
  await run(base);
  await run(rows);
  const before = await read();
  const { id, up } = proposed(
    await service.propose(ADMIN, { database: "shop", sql: wanted, message: "swap" }),
  );
  await service.apply(ADMIN, id);
  const after = await read();
  await service.revert(ADMIN, id);
  const reverted = await read();
  for (const sql of up.flatMap(({ statements }) => statements)) await run(sql);
  await service.apply(ADMIN, id);
  return { before, after, reverted, recorded: await read() };
}
