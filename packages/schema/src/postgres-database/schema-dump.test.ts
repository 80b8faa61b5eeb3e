import { freshDatabase } from "@steward/test-postgres";
import { describe, expect, it } from "vitest";
import { dumpSchema, identify, readDefinitions, rootOf } from "../index.js";
import { POSTGRES_SCHEMAS } from "../testing/postgres-schemas.js";
import { PostgresSchemaDatabase } from "./index.js";

/** Rare features that typical schemas lack, but that a dump must contain. */
const CORNERS = `
  CREATE SCHEMA app;
  CREATE TABLE app.b (id int GENERATED ALWAYS AS IDENTITY, c int);
  CREATE TABLE app.a (id int PRIMARY KEY);
  COMMENT ON TABLE app.a IS 'it''s; -- "kept" \\ /*';
  COMMENT ON COLUMN app.a.id IS E'two\\nlines';
  COMMENT ON CONSTRAINT a_pkey ON app.a IS 'the key';
  GRANT USAGE ON SEQUENCE app.b_id_seq TO PUBLIC;
  CREATE TABLE app."${"ä".repeat(20)}" ("a rather long name of a column, it is" int GENERATED ALWAYS AS IDENTITY);
  DO $$ BEGIN EXECUTE 'GRANT SELECT ON SEQUENCE ' || pg_get_serial_sequence('app."${"ä".repeat(20)}"',
    'a rather long name of a column, it is') || ' TO PUBLIC'; END $$;
  ALTER TABLE app.b ADD FOREIGN KEY (c) REFERENCES app.a;
  ALTER DEFAULT PRIVILEGES IN SCHEMA app GRANT SELECT ON TABLES TO PUBLIC;
  CREATE RULE twice AS ON DELETE TO app.b DO ALSO (DELETE FROM app.a; SELECT 1 AS ";");
  CREATE FUNCTION app.f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END;
  CREATE TYPE app.row AS (a int);
  CREATE TABLE app.typed OF app.row;
  DROP SCHEMA public;
`;

/** The same objects, created in another order. */
const OTHER_ORDER = `
  CREATE SCHEMA app;
  CREATE TABLE app.a (id int);
  CREATE TABLE app.b (id int GENERATED ALWAYS AS IDENTITY);
  ALTER TABLE app.b ADD COLUMN c int;
  ALTER TABLE app.a ADD PRIMARY KEY (id);
  ALTER TABLE app.b ADD FOREIGN KEY (c) REFERENCES app.a;
`;

describe("the dump of a PostgreSQL schema", () => {
  it.each([...Object.entries(POSTGRES_SCHEMAS), ["corners", CORNERS] as const])(
    "asks for nothing when it is proposed, and is the same text again: %s",
    async (_, sql) => {
      await using db = await freshDatabase();
      await db.query(sql);
      const database = new PostgresSchemaDatabase("db", db.url);
      const draft = await database.introspect();
      const dump = dumpSchema(draft);
      await using scratch = await database.scratch();
      await scratch.define(await readDefinitions(dump, "postgres"));
      const defined = await scratch.introspect();
      const managed = draft.objects.filter(({ kind }) => kind !== "Unmanaged");
      expect(defined.objects).toHaveLength(managed.length);
      expect(dumpSchema(defined)).toBe(dump.replaceAll(/\n\n-- No migration makes this:.*/g, ""));
      if (managed.length === draft.objects.length) {
        const base = identify(draft, undefined);
        expect(rootOf(identify(defined, base))).toBe(rootOf(base));
      }
    },
  );

  it("does not tell in which order things were made", async () => {
    await using one = await freshDatabase();
    await using other = await freshDatabase();
    await one.query(OTHER_ORDER);
    await other.query(`CREATE SCHEMA app; CREATE TABLE app.b (id int GENERATED ALWAYS AS IDENTITY, c int);
      CREATE TABLE app.a (id int PRIMARY KEY); ALTER TABLE app.b ADD FOREIGN KEY (c) REFERENCES app.a;`);
    const [first, second] = await Promise.all(
      [one, other].map(({ url }) => new PostgresSchemaDatabase("db", url).introspect()),
    );
    expect(first && dumpSchema(first)).toBe(second && dumpSchema(second));
  });
});
