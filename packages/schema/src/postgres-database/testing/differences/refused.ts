import { type SchemaDifference, TABLE } from "./difference.js";

const PARTITIONS = `CREATE TABLE p (a int NOT NULL, b int NOT NULL) PARTITION BY LIST (a);
  CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);`;
/** Differences that no migration can resolve, each with the text that the refusal must contain. */
export const REFUSED_DIFFERENCES: readonly (SchemaDifference & { readonly named: string })[] = [
  {
    ...{
      title: "an event trigger",
      both: "CREATE FUNCTION e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';",
    },
    one: "CREATE EVENT TRIGGER §_e ON sql_drop EXECUTE FUNCTION e()",
    other:
      "CREATE EVENT TRIGGER §_e ON sql_drop EXECUTE FUNCTION e(); ALTER EVENT TRIGGER §_e DISABLE",
    named: "event trigger §_e",
  },
  {
    ...{
      title: "what an event trigger needs",
      one: "CREATE FUNCTION e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER §_e ON sql_drop EXECUTE FUNCTION e()",
    },
    other: "SELECT",
    named: "event trigger §_e",
  },
  {
    title: "a subscription",
    one: "CREATE SUBSCRIPTION §_b CONNECTION 'host=x' PUBLICATION a WITH (connect = false, slot_name = NONE)",
    other:
      "CREATE SUBSCRIPTION §_b CONNECTION 'host=x' PUBLICATION b WITH (connect = false, slot_name = NONE)",
    named: "subscription §_b",
  },
  {
    title: "a base type, and a table of it",
    both: `CREATE TYPE y; CREATE FUNCTION i(cstring) RETURNS y LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
      CREATE FUNCTION o(y) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
      CREATE TYPE y (INPUT = i, OUTPUT = o, LIKE = int4);`,
    one: "CREATE TABLE t (a y)",
    other: "CREATE TABLE t (a y, b int)",
    named: "base type §.y",
  },
  {
    ...{
      title: "rights on what an extension brings",
      both: "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;",
    },
    other: "REVOKE EXECUTE ON FUNCTION public.citext_eq(public.citext, public.citext) FROM PUBLIC",
    named: "rights on function public.citext_eq",
  },
  {
    ...{
      title: "rights on what the engine brings",
      other: "GRANT EXECUTE ON FUNCTION pg_catalog.pg_ls_waldir() TO pg_read_all_stats",
    },
    named: "rights on function pg_catalog.pg_ls_waldir",
  },
  {
    ...{ title: "a security label", both: TABLE },
    other: "INSERT INTO pg_seclabel VALUES ('t'::regclass, 'pg_class'::regclass, 0, 'x', 'y')",
    named: "security label of x on table §.t",
  },
  {
    title: "a partition that is half detached",
    ...{
      both: PARTITIONS,
      other: "UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = 'p2'::regclass",
    },
    named: "partition §.p2 whose DETACH has not finished",
  },
];
