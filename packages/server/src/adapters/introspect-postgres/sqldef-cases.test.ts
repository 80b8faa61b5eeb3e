import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freshDatabase } from "@steward/test-postgres";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { AppError } from "../../kernel/errors.js";
import { identify, renameHints, rootOf, scriptBetween, scriptFor } from "../../schema/index.js";
import { introspectScratch, runScript } from "./session.js";

const DATA = process.env["STEWARD_CHECK_DATA"];
/** Pairs of databases that cases are tried in at a time. */
const LANES = 3;

interface Case {
  readonly current?: string;
  readonly desired?: string;
}

// Cases of another migration tool, judged by what the database then is and not by the statements. A
// case counts when the server takes both of its sides.
describe.skipIf(DATA === undefined)("migration cases of sqldef for PostgreSQL", () => {
  it(
    "reach the wanted schema from the current one, and come back",
    { timeout: 900_000 },
    async () => {
      const cases = readCases(join(DATA ?? "", "sqldef/psqldef"));
      const results = (
        await Promise.all(Array.from({ length: LANES }, () => runLane(cases)))
      ).flat();
      const failures = results.filter((result) => result !== "equal" && result !== "refused");
      const count = results.filter((result) => result !== "refused").length;
      process.stdout.write(`sqldef for PostgreSQL: ${count - failures.length} of ${count}\n`);
      expect(failures).toEqual([]);
      expect(count).toBeGreaterThanOrEqual(744);
    },
  );
});

if (DATA === undefined) {
  process.stdout.write("sqldef for PostgreSQL: skipped, STEWARD_CHECK_DATA is not set\n");
}

function readCases(directory: string): (readonly [string, Case])[] {
  return readdirSync(directory).flatMap((file) =>
    Object.entries(parse(readFileSync(join(directory, file), "utf8")) as Record<string, Case>),
  );
}

async function runLane(cases: (readonly [string, Case])[]): Promise<readonly string[]> {
  await using one = await freshDatabase();
  await using other = await freshDatabase();
  const [database, wanted] = [await connect(one.url), await connect(other.url)];
  const results: string[] = [];
  for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
    const [name, each] = next;
    const areTaken = (await define(database, each.current)) && (await define(wanted, each.desired));
    const result = areTaken ? await resultOf(database, wanted, each) : "refused";
    results.push(result === "equal" || result === "refused" ? result : `${name}: ${result}`);
  }
  await Promise.all([database.end(), wanted.end()]);
  return results;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function resultOf(
  database: pg.Client,
  wanted: pg.Client,
  { desired = "" }: Case,
): Promise<string> {
  try {
    const base = identify(await introspectScratch(database), undefined);
    const drafted = await introspectScratch(wanted);
    const target = identify(drafted, base, renameHints(desired, "postgres"));
    await runScript(database, scriptBetween(base, target), refused);
    const up = await introspectScratch(database);
    if (rootOf(identify(up, target)) !== rootOf(target)) return "up misses the wanted schema";
    // Without any memory of what was before, the two databases are the same as well.
    if (rootOf(identify(up, undefined)) !== rootOf(identify(drafted, undefined)))
      return "up differs";
    await runScript(database, scriptBetween(target, base), refused);
    const down = identify(await introspectScratch(database), base);
    if (rootOf(down) !== rootOf(base)) return "down misses the current schema";
    await reset(database);
    await runScript(database, scriptFor(target), refused);
    const copied = identify(await introspectScratch(database), target);
    return rootOf(copied) === rootOf(target) ? "equal" : "the copy differs";
  } catch (error) {
    return String(error);
  }
}

function refused(sql: string, error: unknown): AppError {
  return new AppError("STEP_FAILED", `${sql}: ${String(error)}`);
}

/** @returns whether the server takes it. Roles that it speaks of are made. */
async function define(client: pg.Client, sql = ""): Promise<boolean> {
  for (;;) {
    await reset(client);
    await client.query("SET search_path = public; SET check_function_bodies = off");
    try {
      await client.query(sql === "" ? "SELECT" : sql);
      return true;
    } catch (error) {
      const role = /role "(.*)" does not exist/.exec(String(error))?.[1];
      if (role === undefined) return false;
      await client.query(`DO $$ BEGIN CREATE ROLE ${client.escapeIdentifier(role)};
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
    }
  }
}

async function reset(client: pg.Client): Promise<void> {
  await client.query("ROLLBACK; RESET ALL; SET client_min_messages = error");
  await client.query(`DO $$ DECLARE r record; BEGIN
    FOR r IN SELECT extname AS name FROM pg_extension WHERE extname <> 'plpgsql' LOOP
      EXECUTE format('DROP EXTENSION %I CASCADE', r.name); END LOOP;
    FOR r IN SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', r.name); END LOOP;
    CREATE SCHEMA public; COMMENT ON SCHEMA public IS 'standard public schema';
    GRANT USAGE ON SCHEMA public TO PUBLIC; END $$`);
}
