import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identify, rootOf, scriptBetween, Schema } from "../index.js";
import { introspectScratch } from "./session.js";
import {
  REFUSED_DIFFERENCES,
  SCHEMA_DIFFERENCES,
  type SchemaDifference,
} from "./testing/differences/index.js";
import { type DatabasePair, openPair, resultOf } from "./testing/transition.js";

// Two databases are enough for all differences: one has none of them, the other has all. Each
// difference has its own schema, whose name identifies the objects that belong to it.
const placeOf = (index: number): string => `d${index}`;

const pair = await openPair();

describe("two PostgreSQL databases that differ in one thing", () => {
  let version: number;

  beforeAll(async () => {
    const { rows } = await pair.one.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int / 10000 AS version",
    );
    version = rows[0]?.version ?? 0;
  });
  afterAll(async () => {
    for (const client of [pair.one, pair.other]) await forgetServerObjects(client);
  });

  it("have different roots, and a migration leads from one to the other and back", async () => {
    const there = SCHEMA_DIFFERENCES.filter(({ since = 0 }) => since <= version);
    await define(pair, there);
    const one = identify(await introspectScratch(pair.one), undefined);
    const other = identify(await introspectScratch(pair.other), undefined);
    const unseen = there.filter((_, index) => {
      const place = placeOf(index);
      return rootOf(partOf(one, place)) === rootOf(partOf(other, place));
    });
    expect(unseen.map(({ title }) => title)).toEqual([]);
    expect(await resultOf(pair.one, pair.other, {})).toBe("equal");
  });

  it("have different roots where a migration refuses, naming what it leaves alone", async () => {
    await Promise.all([empty(pair.one), empty(pair.other)]);
    await define(pair, REFUSED_DIFFERENCES);
    const one = identify(await introspectScratch(pair.one), undefined);
    const other = identify(await introspectScratch(pair.other), one);
    for (const [index, { named, title }] of REFUSED_DIFFERENCES.entries()) {
      const place = placeOf(index);
      const [before, after] = [one, other].map((each) => partOf(each, place, named));
      if (before === undefined || after === undefined) continue;
      expect(rootOf(before), title).not.toBe(rootOf(after));
      expect(() => scriptBetween(before, after), title).toThrow(named.replaceAll("§", place));
    }
  });
});

async function define(
  { one, other }: DatabasePair,
  differences: readonly SchemaDifference[],
): Promise<void> {
  for (const [index, each] of differences.entries()) {
    const place = placeOf(index);
    const run = async (client: pg.Client, own: string): Promise<void> => {
      const sql = `${each.both ?? ""}; ${own}`.replaceAll("§", place);
      await client.query(`CREATE SCHEMA ${place}; SET search_path = ${place}, public`);
      await client.query(sql);
    };
    await run(one, each.one ?? "");
    await run(other, each.other);
  }
}

/**
 * The objects that belong to a difference by their schema or name, and those of the whole database.
 * @param named objects of the difference that must not be removed.
 */
function partOf(schema: Schema, place: string, named = ""): Schema {
  const isOfPlace = new RegExp(`\\b${place}([._]|$)`);
  return new Schema(
    schema.objects.filter((object) => {
      const path = schema.pathOf(object);
      const isShared = !/\bd\d+([._]|$)/.test(path);
      const isAsked = object.kind !== "Unmanaged" || path.startsWith(named);
      return object.parent === undefined || isOfPlace.test(path) || (isShared && isAsked);
    }),
  );
}

async function empty(client: pg.Client): Promise<void> {
  await client.query("RESET ALL; SET client_min_messages = error");
  await client.query(`DO $$ DECLARE r record; BEGIN
    FOR r IN SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^d\\d+$' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', r.name); END LOOP; END $$`);
}

/** Drops objects that would prevent dropping the database, or that belong to the whole server. */
async function forgetServerObjects(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT subname AS name FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid
     WHERE d.datname = current_database()`,
  );
  for (const { name } of rows) await client.query(`DROP SUBSCRIPTION ${name}`);
}
