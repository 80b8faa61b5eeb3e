import { freshDatabase } from "@steward/test-postgres";
import pg from "pg";
import { afterAll } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { concernedRelations } from "../../changes/concern.js";
import {
  identify,
  renameHints,
  rootOf,
  type Schema,
  scriptBetween,
  scriptFor,
  unitsOf,
} from "../../index.js";
import { unsaid } from "../../testing/command-table.js";
import { introspectLive, introspectScratch, introspectTouched, runScript } from "../session.js";

/** Two schemas as SQL. */
export interface Transition {
  readonly current?: string;
  readonly desired?: string;
}

/** A connection to a test database. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Two empty databases. */
export interface DatabasePair {
  readonly one: pg.Client;
  readonly other: pg.Client;
  /** URL of the first database. */
  readonly url: string;
}

/** Opens a pair, which is dropped after the tests of the file, with the roles that were created for it. */
export async function openPair(): Promise<DatabasePair> {
  const databases = [await freshDatabase(), await freshDatabase()] as const;
  const [one, other] = [await connect(databases[0].url), await connect(databases[1].url)];
  afterAll(async () => {
    await Promise.all([one.end(), other.end()]);
    for (const database of databases) await database[Symbol.asyncDispose]();
    await using server = await freshDatabase();
    await dropMadeRoles(server.url);
  });
  return { one, other, url: databases[0].url };
}

/**
 * Migrates from one database's schema to another's and back, and creates the second schema in an
 * empty database.
 * @returns "equal", or the difference.
 */
export async function resultOf(
  database: pg.Client,
  wanted: pg.Client,
  { desired = "" }: Transition,
): Promise<string> {
  try {
    const base = identify(await introspectScratch(database), undefined);
    const drafted = await introspectScratch(wanted);
    const target = identify(drafted, base, renameHints(desired, "postgres"));
    const mistakes = [...unsaid(base, target), ...unsaid(target, base)];
    if (mistakes.length > 0) return `docs/migration-locks.md: ${mistakes.join("; ")}`;
    await runScript(database, scriptBetween(base, target), refused);
    const up = await introspectScratch(database);
    if (rootOf(identify(up, target)) !== rootOf(target)) return "up misses the wanted schema";
    // The two databases must also be equal without information from the schema before.
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

/**
 * Defines two schemas, and migrates rows from one to the other and back.
 * @returns the answers to a query before, there, and after the way back.
 */
export async function answersOnTheWay(
  database: pg.Client,
  wanted: pg.Client,
  { current, desired = "", rows, query }: Transition & Record<"rows" | "query", string>,
): Promise<readonly unknown[]> {
  await define(database, current);
  await define(wanted, desired);
  await database.query(rows);
  const base = identify(await introspectScratch(database), undefined);
  const target = identify(await introspectScratch(wanted), base, renameHints(desired, "postgres"));
  const answer = async (): Promise<unknown> => {
    await database.query("SET search_path = public");
    return (await database.query<object>(query)).rows;
  };
  const before = await answer();
  await runScript(database, scriptBetween(base, target), refused);
  const there = await answer();
  await runScript(database, scriptBetween(target, base), refused);
  return [before, there, await answer()];
}

/**
 * Migrates from one database's schema to another's as far as one transaction can, and reads only
 * the touched part.
 * @returns the objects of the touched part, and those of the whole schema; they are equal when
 * nothing was missed.
 */
export async function touchedObjects(
  database: pg.Client,
  wanted: pg.Client,
  { desired = "" }: Transition,
): Promise<{ readonly touched: readonly object[]; readonly all: readonly object[] }> {
  const draft = await introspectLive(database);
  const base = identify(draft, undefined);
  const hints = renameHints(desired, "postgres");
  const target = identify(await introspectScratch(wanted), base, hints);
  const units = unitsOf(scriptBetween(base, target));
  const first =
    units.find((unit) => unit.concurrentIndex !== undefined || unit.statements.length > 1) ??
    units[0];
  await database.query("BEGIN; SET LOCAL check_function_bodies = off");
  for (const sql of first?.concurrentIndex === undefined ? (first?.statements ?? []) : []) {
    await database.query(sql);
  }
  const concerned = concernedRelations({ from: base, to: target }, base);
  const touched = await introspectTouched(database, draft, concerned);
  const all = await introspectLive(database);
  await database.query("ROLLBACK");
  return { touched: inOrder(touched), all: inOrder(all) };
}

function inOrder({ objects }: Schema): readonly object[] {
  return [...objects]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ values, ...object }) => {
      const { dependsOn, ...others } = values;
      const needs = (values.dependsOn ?? []).map(({ needs }) => JSON.stringify(needs));
      return { ...object, values: others, needs: dependsOn === undefined ? [] : needs.sort() };
    });
}

function refused(sql: string, error: unknown): AppError {
  return new AppError("STEP_FAILED", `${sql}: ${String(error)}`);
}

/** Created roles, which outlive their databases. */
const madeRoles = new Set<string>();

/** Drops the roles that {@link define} has created, after the databases that refer to them. */
export async function dropMadeRoles(url: string): Promise<void> {
  const client = await connect(url);
  for (const role of madeRoles) {
    try {
      await client.query(`DROP ROLE IF EXISTS ${client.escapeIdentifier(role)}`);
    } catch (error) {
      // Another test's database refers to the role too.
      if (!(error instanceof pg.DatabaseError && error.code === "2BP01")) throw error;
    }
  }
  madeRoles.clear();
  await client.end();
}

/**
 * Defines a schema in an empty database, and creates the roles that it refers to. @returns whether
 * the server accepts it.
 */
export async function define(client: pg.Client, sql = ""): Promise<boolean> {
  for (;;) {
    await reset(client);
    await client.query("SET search_path = public; SET check_function_bodies = off");
    try {
      await client.query(sql === "" ? "SELECT" : sql);
      return true;
    } catch (error) {
      const role = /role "(.*)" does not exist/.exec(String(error))?.[1];
      if (role === undefined) return false;
      await makeRole(client, role);
    }
  }
}

/** Creates a role, unless a concurrent case has just created it. */
async function makeRole(client: pg.Client, role: string): Promise<void> {
  try {
    await client.query(`CREATE ROLE ${client.escapeIdentifier(role)}`);
    madeRoles.add(role);
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code !== "42710" && code !== "23505") throw error;
  }
}

async function reset(client: pg.Client): Promise<void> {
  await client.query("ROLLBACK; RESET ALL; SET client_min_messages = error");
  await client.query(`DO $$ DECLARE r record; BEGIN
    FOR r IN SELECT pubname AS name FROM pg_publication LOOP
      EXECUTE format('DROP PUBLICATION %I', r.name); END LOOP;
    FOR r IN SELECT extname AS name FROM pg_extension WHERE extname <> 'plpgsql' LOOP
      EXECUTE format('DROP EXTENSION IF EXISTS %I CASCADE', r.name); END LOOP;
    FOR r IN SELECT fdwname AS name FROM pg_foreign_data_wrapper LOOP
      EXECUTE format('DROP FOREIGN DATA WRAPPER %I CASCADE', r.name); END LOOP;
    FOR r IN SELECT lanname AS name FROM pg_language WHERE oid >= 16384 LOOP
      EXECUTE format('DROP LANGUAGE %I CASCADE', r.name); END LOOP;
    FOR r IN SELECT amname AS name FROM pg_am WHERE oid >= 16384 LOOP
      EXECUTE format('DROP ACCESS METHOD %I CASCADE', r.name); END LOOP;
    FOR r IN SELECT evtname AS name FROM pg_event_trigger LOOP
      EXECUTE format('DROP EVENT TRIGGER %I', r.name); END LOOP;
    FOR r IN SELECT DISTINCT pg_get_userbyid(defaclrole) AS name FROM pg_default_acl LOOP
      EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE %I GRANT EXECUTE ON FUNCTIONS TO PUBLIC', r.name);
      EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE %I GRANT USAGE ON TYPES TO PUBLIC', r.name); END LOOP;
    FOR r IN SELECT pg_get_userbyid(p.defaclrole) AS name, CASE a.grantee WHEN 0 THEN 'PUBLIC'
        ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee, a.privilege_type AS privilege,
        CASE p.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS'
          WHEN 'T' THEN 'TYPES' ELSE 'SCHEMAS' END AS sort
        FROM pg_default_acl p, aclexplode(p.defaclacl) a
        WHERE p.defaclnamespace = 0 AND a.grantee NOT IN (0, p.defaclrole) LOOP
      EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE %I REVOKE %s ON %s FROM %s', r.name, r.privilege, r.sort, r.grantee); END LOOP;
    FOR r IN SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', r.name); END LOOP;
    CREATE SCHEMA public; COMMENT ON SCHEMA public IS 'standard public schema';
    GRANT USAGE ON SCHEMA public TO PUBLIC; END $$`);
}
