import type { Finding } from "../../index.js";

/**
 * A rule: an object before and after, and the expected findings about it, each as a code and a part
 * of the message. Other objects, and the same case without the change, must have no findings.
 */
export interface HazardCase {
  readonly rule: string;
  /** `$` is replaced by a name that only this case uses. */
  readonly current: string;
  readonly desired: string;
  /** The object of the findings, also with `$`; default: the table `public.$`. */
  readonly object?: string;
  readonly expected: readonly (readonly [Finding["code"], string])[];
}

/** Objects that hold rows or values, with the expected loss. */
export const LOSS_CASES: readonly HazardCase[] = [
  {
    rule: "a table that is dropped",
    current: "CREATE TABLE $(a int)",
    desired: "",
    expected: [
      ["destructive", "rows are lost"],
      ["backward-incompatible", "still use"],
    ],
  },
  {
    rule: "a schema that is dropped with a table",
    current: "CREATE SCHEMA $; CREATE TABLE $.t(a int)",
    desired: "",
    object: "$.t",
    expected: [
      ["destructive", "rows are lost"],
      ["irreversible-down", "not restored"],
    ],
  },
  {
    rule: "a partition that is dropped",
    current:
      "CREATE TABLE $p(a int) PARTITION BY LIST (a); CREATE TABLE $ PARTITION OF $p FOR VALUES IN (1)",
    desired: "CREATE TABLE $p(a int) PARTITION BY LIST (a)",
    expected: [["destructive", "rows are lost"]],
  },
  {
    rule: "a partition with other bounds",
    current:
      "CREATE TABLE $p(a int) PARTITION BY LIST (a); CREATE TABLE $ PARTITION OF $p FOR VALUES IN (1)",
    desired:
      "CREATE TABLE $p(a int) PARTITION BY LIST (a); CREATE TABLE $ PARTITION OF $p FOR VALUES IN (2)",
    expected: [["data-dependent", "rows outside of its bounds stop the migration"]],
  },
  {
    rule: "a foreign table, whose rows stay on the other server",
    current:
      "CREATE FOREIGN DATA WRAPPER $w; CREATE SERVER $s FOREIGN DATA WRAPPER $w; CREATE FOREIGN TABLE $(a int) SERVER $s",
    desired: "CREATE FOREIGN DATA WRAPPER $w; CREATE SERVER $s FOREIGN DATA WRAPPER $w",
    expected: [["backward-incompatible", "still use"]],
  },
  {
    rule: "a column of a foreign table",
    current:
      "CREATE FOREIGN DATA WRAPPER $w; CREATE SERVER $s FOREIGN DATA WRAPPER $w; CREATE FOREIGN TABLE $(a int, b int) SERVER $s",
    desired:
      "CREATE FOREIGN DATA WRAPPER $w; CREATE SERVER $s FOREIGN DATA WRAPPER $w; CREATE FOREIGN TABLE $(a int) SERVER $s",
    object: "public.$.b",
    expected: [["backward-incompatible", "still use"]],
  },
  {
    rule: "an extension that is dropped",
    current: "CREATE EXTENSION citext",
    desired: "",
    object: "citext",
    expected: [
      ["data-dependent", "rows of tables that belong to it"],
      ["backward-incompatible", "still use"],
    ],
  },
  {
    rule: "a column that is dropped",
    current: "CREATE TABLE $(a int, b int)",
    desired: "CREATE TABLE $(a int)",
    object: "public.$.b",
    expected: [
      ["destructive", "values are lost"],
      ["irreversible-down", "not restored"],
    ],
  },
  {
    rule: "a generated column that is dropped",
    current: "CREATE TABLE $(a int, b int GENERATED ALWAYS AS (a + 1) STORED)",
    desired: "CREATE TABLE $(a int)",
    object: "public.$.b",
    expected: [["backward-incompatible", "still use"]],
  },
  {
    rule: "a materialized view that is dropped",
    current: "CREATE MATERIALIZED VIEW $ AS SELECT 1 AS a",
    desired: "",
    expected: [
      ["destructive", "last refresh"],
      ["backward-incompatible", "still use"],
    ],
  },
  {
    rule: "a materialized view over a column whose type changes",
    current: "CREATE TABLE $t(a int); CREATE MATERIALIZED VIEW $ AS SELECT a FROM $t",
    desired: "CREATE TABLE $t(a bigint); CREATE MATERIALIZED VIEW $ AS SELECT a FROM $t",
    expected: [
      ["destructive", "it is refreshed"],
      ["backward-incompatible", "its column a has another type"],
    ],
  },
  {
    rule: "a view that is dropped",
    current: "CREATE VIEW $ AS SELECT 1 AS a",
    desired: "",
    expected: [["backward-incompatible", "still use"]],
  },
  {
    rule: "a sequence that is dropped",
    current: "CREATE SEQUENCE $",
    desired: "",
    expected: [["destructive", "counter is lost"]],
  },
  {
    rule: "the sequence of a serial column that stays",
    current: "CREATE TABLE $(a serial)",
    desired: "CREATE TABLE $(a int NOT NULL)",
    object: "public.$_a_seq",
    expected: [["destructive", "counter is lost"]],
  },
  {
    rule: "the sequence of a serial column that goes",
    current: "CREATE TABLE $(a serial, b int)",
    desired: "CREATE TABLE $(b int)",
    object: "public.$_a_seq",
    expected: [["backward-incompatible", "still use"]],
  },
  {
    rule: "an identity column that is none any more",
    current: "CREATE TABLE $(a int GENERATED ALWAYS AS IDENTITY)",
    desired: "CREATE TABLE $(a int NOT NULL)",
    object: "public.$.a",
    expected: [["destructive", "counter is lost"]],
  },
  {
    rule: "a sequence whose new bounds make it begin anew",
    current: "CREATE SEQUENCE $ START 5",
    desired: "CREATE SEQUENCE $ START 100 MINVALUE 100",
    expected: [
      ["destructive", "counter restarts"],
      ["data-dependent", "counter"],
    ],
  },
  {
    rule: "an attribute of a type that a column has",
    current: "CREATE TYPE $ AS (x int, y int); CREATE TABLE $t(a $)",
    desired: "CREATE TYPE $ AS (x int); CREATE TABLE $t(a $)",
    object: "public.$.y",
    expected: [["destructive", "values in columns of the type are lost"]],
  },
  {
    rule: "an attribute of a type inside of another type's column",
    current: "CREATE TYPE $ AS (x int, y int); CREATE TYPE $u AS (z $); CREATE TABLE $t(a $u[])",
    desired: "CREATE TYPE $ AS (x int); CREATE TYPE $u AS (z $); CREATE TABLE $t(a $u[])",
    object: "public.$.y",
    expected: [["destructive", "values in columns of the type are lost"]],
  },
  {
    rule: "an attribute of a type that nobody has",
    current: "CREATE TYPE $ AS (x int, y int)",
    desired: "CREATE TYPE $ AS (x int)",
    expected: [["backward-incompatible", "access its attributes"]],
  },
  {
    rule: "a column that comes to be computed",
    current: "CREATE TABLE $(a int, b int)",
    desired: "CREATE TABLE $(a int, b int GENERATED ALWAYS AS (a + 1) STORED)",
    object: "public.$.b",
    expected: [
      ["destructive", "computed again"],
      ["backward-incompatible", "with a value for it"],
    ],
  },
  {
    rule: "a table that comes to be partitioned",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int) PARTITION BY RANGE (a)",
    expected: [["destructive", "created again"]],
  },
];
