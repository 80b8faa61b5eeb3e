import pg from "pg";
import { ADMIN } from "../../../kernel/testing/nobody.js";
import { systemClock } from "../../../kernel/clock.js";
import { AppError } from "../../../kernel/errors.js";
import { systemIds } from "../../../kernel/ids.js";
import { MigrationService } from "../../../schema/index.js";
import { memoryRepositories } from "../../../state/testing/memory-repositories.js";
import { PostgresSchemaDatabase } from "../index.js";
import { type Column, type RandomSchemas, sqlOf } from "./random-schemas.js";
import type { StatementCutter } from "./statement-cutter.js";

const WAITS = { turnMs: 5000, lockMs: 1000, indexMs: 10_000 };

/** What a round needs to know of its database. */
export interface FaultRound {
  /** Past the proxy. */
  readonly url: string;
  readonly cutter: StatementCutter;
  readonly schemas: RandomSchemas;
  /** From 0; the process dies before the server has seen this statement. */
  readonly statement: number;
  readonly random: () => number;
}

/**
 * Migrates one schema to another under a second writer, has the process die at a statement, and goes on by
 * whatever the next command says.
 * @returns whether the migration ended before the statement came: later ones need not be tried.
 * @throws Error naming what was lost or touched.
 */
export async function runFaultRound(round: FaultRound): Promise<boolean> {
  const { url, cutter, schemas, statement, random } = round;
  await using db = await open(url);
  await db.query(sqlOf(schemas.base));
  for (const insert of schemas.rows) await db.query(insert);
  const before = await rowsOf(db, schemas);
  const service = new MigrationService({
    databases: new Map([["shop", new PostgresSchemaDatabase("shop", cutter.url, WAITS)]]),
    repositories: memoryRepositories(),
    clock: systemClock,
    ids: systemIds(systemClock),
  });
  const proposal = { database: "shop", sql: sqlOf(schemas.wanted), message: "random" };
  const proposed = await service.propose(ADMIN, proposal);
  if (proposed.status === "unchanged") return true;
  const { id } = proposed;
  if (random() < 0.3) await db.query("INSERT INTO t0 (id, code) VALUES (901, 'dup'), (902, 'dup')");
  cutter.arm(statement);
  const applied = service
    .apply(ADMIN, id, { acceptDataLoss: true })
    .catch((error: unknown) => AppError.from(error));
  const others = await makeOthers(db, random);
  await applied;
  const isOver = !cutter.isCut;
  cutter.heal();
  await refuseLosses(db, { schemas, before, others });
  await goOn(service, { id, db, random, schemas });
  await refuseLosses(db, { schemas, before, others });
  const { differences } = await service.drift(ADMIN, "shop");
  const ours = differences.filter(({ path }) => !path.includes("theirs"));
  if (ours.length > 0) throw new Error(`left over: ${JSON.stringify(ours)}`);
  return isOver;
}

interface Kept {
  readonly schemas: RandomSchemas;
  readonly before: ReadonlyMap<string, readonly unknown[]>;
  readonly others: readonly string[];
}

/** Somebody else makes and fills tables, and looks at ours. */
async function makeOthers(db: Connection, random: () => number): Promise<readonly string[]> {
  const made: string[] = [];
  for (let count = 0; count < 3; count++) {
    const name = `theirs_${String(count)}`;
    await db.query(theirTable(count));
    await db.query(`INSERT INTO ${name} SELECT n, 'row ' || n FROM generate_series(1, 5) n`);
    made.push(name);
    await db.query("SELECT count(*) FROM t0").catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, random() * 40));
  }
  return made;
}

/** No row of others is gone, and no value of ours in a column that both schemas have. */
async function refuseLosses(db: Connection, { schemas, before, others }: Kept): Promise<void> {
  for (const name of others) {
    const rows = await db.query(`SELECT * FROM ${name}`);
    if (rows.length !== 5) throw new Error(`${name} has ${String(rows.length)} rows of 5`);
  }
  const now = await rowsOf(db, schemas);
  for (const [column, values] of before) {
    const found = JSON.stringify(now.get(column));
    // A duplicate row that came later has ids beyond all of these.
    if (found !== JSON.stringify(values)) {
      throw new Error(`${column} was ${JSON.stringify(values)} and is ${found}`);
    }
  }
}

/** The values, as text, of every column that both schemas have. */
async function rowsOf(
  db: Connection,
  { base, wanted }: RandomSchemas,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const found = new Map<string, readonly unknown[]>();
  for (const table of base) {
    const next = wanted.find(({ name }) => name === table.name);
    if (next === undefined) continue;
    const isKept = ({ name }: Column): boolean => next.columns.some((each) => each.name === name);
    for (const { name } of table.columns.filter(isKept)) {
      const sql = `SELECT ${name}::text AS v FROM ${table.name} WHERE id < 900 ORDER BY id`;
      const rows = await db.query(sql);
      found.set(
        `${table.name}.${name}`,
        rows.map(({ v }) => v),
      );
    }
  }
  return found;
}

interface Continuation {
  readonly id: string;
  readonly db: Connection;
  readonly random: () => number;
  readonly schemas: RandomSchemas;
}

/** Gives the command that the last error named as the way out. */
async function goOn(
  service: MigrationService,
  { id, db, random, schemas }: Continuation,
): Promise<void> {
  const accepted = { acceptDataLoss: true };
  const unfinished = await service.unfinishedRun(ADMIN, id);
  if (unfinished !== undefined) {
    if (random() < 0.5 && unfinished.purpose === "migrate") {
      await service.undo(ADMIN, id, accepted);
      return;
    }
    await db.query("DELETE FROM t0 WHERE id > 900");
    await service.resume(ADMIN, id, accepted);
    return;
  }
  if ((await service.show(ADMIN, id)).status === "applied") return;
  // Others' tables are drift: they are taken into account, and the rest is proposed anew.
  await db.query("DELETE FROM t0 WHERE id > 900");
  await service.acceptDrift(ADMIN, "shop", "others' tables");
  const theirs = [0, 1, 2].map(theirTable).join("; ");
  const sql = `${sqlOf(schemas.wanted)}; ${theirs}`;
  const again = await service.propose(ADMIN, { database: "shop", sql, message: "again" });
  if (again.status !== "unchanged") await service.apply(ADMIN, again.id, accepted);
}

function theirTable(count: number): string {
  return `CREATE TABLE theirs_${String(count)} (a integer PRIMARY KEY, b text)`;
}

interface Connection extends AsyncDisposable {
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
}

async function open(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}
