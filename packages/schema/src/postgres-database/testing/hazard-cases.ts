import type { HazardCase } from "./loss-cases.js";

/** Findings about changes without loss of data, except findings about locks. */
export const HAZARD_CASES: readonly HazardCase[] = [
  {
    rule: "a type that loses the time zone",
    current: "CREATE TABLE $(a timestamptz)",
    desired: "CREATE TABLE $(a timestamp)",
    object: "public.$.a",
    expected: [
      ["destructive", "time zone is lost"],
      ["backward-incompatible", "it was timestamp with"],
    ],
  },
  {
    rule: "a type that may cut values",
    current: "CREATE TABLE $(a varchar(9))",
    desired: "CREATE TABLE $(a varchar(3))",
    object: "public.$.a",
    expected: [
      ["data-dependent", "the rows are checked first"],
      ["irreversible-down", "are not changed back"],
    ],
  },
  {
    rule: "a domain that may round values",
    current: "CREATE DOMAIN $ AS numeric(6,2); CREATE TABLE $t(a $)",
    desired: "CREATE DOMAIN $ AS numeric(6,1); CREATE TABLE $t(a $)",
    object: "public.$t.a",
    expected: [["data-dependent", "rounded off"]],
  },
  {
    rule: "a wider type",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a bigint)",
    object: "public.$.a",
    expected: [["backward-incompatible", "it was integer"]],
  },
  {
    rule: "a label that goes",
    current: "CREATE TYPE $ AS ENUM ('x', 'y'); CREATE TABLE $t(a $)",
    desired: "CREATE TYPE $ AS ENUM ('x'); CREATE TABLE $t(a $)",
    expected: [
      ["data-dependent", "(y)"],
      ["backward-incompatible", "y fail"],
    ],
  },
  {
    rule: "a label that comes",
    current: "CREATE TYPE $ AS ENUM ('x')",
    desired: "CREATE TYPE $ AS ENUM ('x', 'y')",
    expected: [],
  },
  {
    rule: "NOT NULL on a column that is there",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int NOT NULL)",
    object: "public.$.a",
    expected: [
      ["data-dependent", "rows with NULL"],
      ["backward-incompatible", "writes of NULL"],
    ],
  },
  {
    rule: "NULL where there was none",
    current: "CREATE TABLE $(a int NOT NULL)",
    desired: "CREATE TABLE $(a int)",
    object: "public.$.a",
    expected: [
      ["backward-incompatible", "may get NULL"],
      ["irreversible-down", "rows that have NULL"],
    ],
  },
  {
    rule: "a new column that must be filled",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int, b int NOT NULL)",
    object: "public.$.b",
    expected: [
      ["data-dependent", "without a default"],
      ["backward-incompatible", "without a value for it"],
    ],
  },
  {
    rule: "a new column of a domain that must be filled",
    current: "CREATE DOMAIN $d AS int NOT NULL; CREATE TABLE $(a int)",
    desired: "CREATE DOMAIN $d AS int NOT NULL; CREATE TABLE $(a int, b $d)",
    object: "public.$.b",
    expected: [["data-dependent", "without a default"]],
  },
  {
    rule: "a new column with a default",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int, b int NOT NULL DEFAULT 7)",
    object: "public.$.b",
    expected: [],
  },
  {
    rule: "a new column of json",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int, b json, c jsonb)",
    object: "public.$.b",
    expected: [["backward-incompatible", "no equality"]],
  },
  {
    rule: "a default that goes",
    current: "CREATE TABLE $(a int NOT NULL DEFAULT 7)",
    desired: "CREATE TABLE $(a int NOT NULL)",
    object: "public.$.a",
    expected: [["backward-incompatible", "without a value for it"]],
  },
  {
    rule: "a default that goes where NULL is allowed",
    current: "CREATE TABLE $(a int DEFAULT 7)",
    desired: "CREATE TABLE $(a int)",
    object: "public.$.a",
    expected: [],
  },
  {
    rule: "a primary key",
    current: "CREATE TABLE $(a int NOT NULL)",
    desired: "CREATE TABLE $(a int NOT NULL, CONSTRAINT $k PRIMARY KEY (a))",
    object: "public.$.$k",
    expected: [
      ["data-dependent", "duplicate rows"],
      ["backward-incompatible", "writes that violate it"],
    ],
  },
  {
    rule: "a unique constraint",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int, CONSTRAINT $k UNIQUE (a))",
    object: "public.$.$k",
    expected: [
      ["data-dependent", "duplicate rows"],
      ["backward-incompatible", "writes that violate it"],
    ],
  },
  {
    rule: "a unique index",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int); CREATE UNIQUE INDEX $k ON $(a)",
    object: "public.$.$k",
    expected: [
      ["data-dependent", "duplicate rows"],
      ["backward-incompatible", "writes that violate it"],
    ],
  },
  {
    rule: "an index that is none",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int); CREATE INDEX $k ON $(a)",
    object: "public.$.$k",
    expected: [],
  },
  {
    rule: "a unique index on more rows",
    current: "CREATE TABLE $(a int); CREATE UNIQUE INDEX $k ON $(a) WHERE a > 7",
    desired: "CREATE TABLE $(a int); CREATE UNIQUE INDEX $k ON $(a)",
    object: "public.$.$k",
    expected: [["data-dependent", "duplicate rows"]],
  },
  {
    rule: "a unique index that goes",
    current: "CREATE TABLE $(a int); CREATE UNIQUE INDEX $k ON $(a)",
    desired: "CREATE TABLE $(a int)",
    object: "public.$.$k",
    expected: [
      ["backward-incompatible", "ON CONFLICT"],
      ["irreversible-down", "stop the down migration"],
    ],
  },
  {
    rule: "a check",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int, CONSTRAINT $k CHECK (a > 0))",
    object: "public.$.$k",
    expected: [
      ["data-dependent", "rows that violate it"],
      ["backward-incompatible", "writes that violate it"],
    ],
  },
  {
    rule: "a check that old rows need not pass",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int); ALTER TABLE $ ADD CONSTRAINT $k CHECK (a > 0) NOT VALID",
    object: "public.$.$k",
    expected: [["backward-incompatible", "writes that violate it"]],
  },
  {
    rule: "a check that demands something else",
    current: "CREATE TABLE $(a int, CONSTRAINT $k CHECK (a > 0))",
    desired: "CREATE TABLE $(a int, CONSTRAINT $k CHECK (a > 7))",
    object: "public.$.$k",
    expected: [["data-dependent", "rows that violate it"]],
  },
  {
    rule: "a check that goes",
    current: "CREATE TABLE $(a int, CONSTRAINT $k CHECK (a > 0))",
    desired: "CREATE TABLE $(a int)",
    object: "public.$.$k",
    expected: [["irreversible-down", "stop the down migration"]],
  },
  {
    rule: "a check of a domain",
    current: "CREATE DOMAIN $ AS int; CREATE TABLE $t(a $)",
    desired: "CREATE DOMAIN $ AS int CONSTRAINT $k CHECK (VALUE > 0); CREATE TABLE $t(a $)",
    object: "public.$.$k",
    expected: [["data-dependent", "rows that violate it"]],
  },
  {
    rule: "an exclusion constraint",
    current: "CREATE TABLE $(a int4range)",
    desired: "CREATE TABLE $(a int4range, CONSTRAINT $k EXCLUDE USING gist (a WITH &&))",
    object: "public.$.$k",
    expected: [["data-dependent", "rows that violate it"]],
  },
  {
    rule: "a foreign key without an index, that cascades",
    current: "CREATE TABLE $(a int PRIMARY KEY); CREATE TABLE $t(b int)",
    desired:
      "CREATE TABLE $(a int PRIMARY KEY); CREATE TABLE $t(b int, CONSTRAINT $k FOREIGN KEY (b) REFERENCES $ ON DELETE CASCADE)",
    object: "public.$t.$k",
    expected: [
      ["data-dependent", "rows that violate it"],
      ["backward-incompatible", "deleting rows of public.$ changes rows here: cascade"],
      ["lock-heavy", "no index begins with its columns"],
    ],
  },
  {
    rule: "a foreign key with an index",
    current: "CREATE TABLE $(a int PRIMARY KEY); CREATE TABLE $t(b int); CREATE INDEX $i ON $t(b)",
    desired:
      "CREATE TABLE $(a int PRIMARY KEY); CREATE TABLE $t(b int, CONSTRAINT $k FOREIGN KEY (b) REFERENCES $); CREATE INDEX $i ON $t(b)",
    object: "public.$t.$k",
    expected: [
      ["data-dependent", "rows that violate it"],
      ["backward-incompatible", "writes that violate it"],
    ],
  },
  {
    rule: "a partition beside a default partition",
    current:
      "CREATE TABLE $p(a int) PARTITION BY RANGE (a); CREATE TABLE $d PARTITION OF $p DEFAULT",
    desired:
      "CREATE TABLE $p(a int) PARTITION BY RANGE (a); CREATE TABLE $d PARTITION OF $p DEFAULT; CREATE TABLE $ PARTITION OF $p FOR VALUES FROM (0) TO (9)",
    expected: [["data-dependent", "default partition"]],
  },
  {
    rule: "a trigger",
    current:
      "CREATE FUNCTION $f() RETURNS trigger LANGUAGE plpgsql AS 'begin return new; end'; CREATE TABLE $(a int)",
    desired:
      "CREATE FUNCTION $f() RETURNS trigger LANGUAGE plpgsql AS 'begin return new; end'; CREATE TABLE $(a int); CREATE TRIGGER $k BEFORE INSERT ON $ FOR EACH ROW EXECUTE FUNCTION $f()",
    object: "public.$.$k",
    expected: [["backward-incompatible", "side effects of writes"]],
  },
  {
    rule: "a policy that goes, and row security",
    current: "CREATE TABLE $(a int); CREATE POLICY $k ON $ USING (a > 0)",
    desired: "CREATE TABLE $(a int); ALTER TABLE $ ENABLE ROW LEVEL SECURITY",
    object: "public.$.$k",
    expected: [["backward-incompatible", "a role may see and write"]],
  },
  {
    rule: "row security",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int); ALTER TABLE $ ENABLE ROW LEVEL SECURITY",
    expected: [["backward-incompatible", "only the rows that a policy allows"]],
  },
  {
    rule: "row security that ends",
    current: "CREATE TABLE $(a int); ALTER TABLE $ ENABLE ROW LEVEL SECURITY",
    desired: "CREATE TABLE $(a int)",
    expected: [["backward-incompatible", "sees every row"]],
  },
  {
    rule: "whole rows in the log",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int); ALTER TABLE $ REPLICA IDENTITY FULL",
    expected: [["lock-heavy", "writes the whole old row"]],
  },
  {
    rule: "a table that the server forgets when it crashes",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE UNLOGGED TABLE $(a int)",
    expected: [["backward-incompatible", "when the server crashes"]],
  },
  {
    rule: "a function that returns something else",
    current: "CREATE FUNCTION $() RETURNS int LANGUAGE sql AS 'select 1'",
    desired: "CREATE FUNCTION $() RETURNS text LANGUAGE sql AS 'select 1::text'",
    object: "public.$()",
    expected: [["backward-incompatible", "it returned integer"]],
  },
  {
    rule: "a view that shows less",
    current: "CREATE VIEW $ AS SELECT 1 AS a, 2 AS b",
    desired: "CREATE VIEW $ AS SELECT 1 AS a",
    expected: [["backward-incompatible", "no longer has the column b"]],
  },
  {
    rule: "a table with another name",
    current: "CREATE TABLE $old(a int)",
    desired: "CREATE TABLE $(a int) /* @renamed from=$old */",
    expected: [["backward-incompatible", "call it $old fail"]],
  },
  {
    rule: "a comment",
    current: "CREATE TABLE $(a int)",
    desired: "CREATE TABLE $(a int); COMMENT ON COLUMN $.a IS 'x'",
    object: "public.$.a",
    expected: [],
  },
];
