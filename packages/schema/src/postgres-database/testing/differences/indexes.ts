import { type SchemaDifference, TABLE } from "./difference.js";

/** Differences in indexes. */
export const INDEXES: readonly SchemaDifference[] = [
  { title: "uniqueness", one: "CREATE INDEX i ON t (a)", other: "CREATE UNIQUE INDEX i ON t (a)" },
  {
    ...{ title: "NULLS NOT DISTINCT", since: 15, one: "CREATE UNIQUE INDEX i ON t (a)" },
    other: "CREATE UNIQUE INDEX i ON t (a) NULLS NOT DISTINCT",
  },
  {
    title: "INCLUDE",
    one: "CREATE INDEX i ON t (a)",
    other: "CREATE INDEX i ON t (a) INCLUDE (c)",
  },
  {
    ...{ title: "an operator class", one: "CREATE INDEX i ON t (b)" },
    other: "CREATE INDEX i ON t (b text_pattern_ops)",
  },
  {
    title: "parameters of an operator class",
    one: "CREATE INDEX i ON t USING brin (a int4_minmax_multi_ops)",
    other: "CREATE INDEX i ON t USING brin (a int4_minmax_multi_ops (values_per_range = 16))",
  },
  {
    ...{ title: "an index's collation", one: "CREATE INDEX i ON t (b)" },
    other: 'CREATE INDEX i ON t (b COLLATE "C")',
  },
  { title: "order", one: "CREATE INDEX i ON t (a)", other: "CREATE INDEX i ON t (a DESC)" },
  { title: "NULLS", one: "CREATE INDEX i ON t (a)", other: "CREATE INDEX i ON t (a NULLS FIRST)" },
  {
    ...{ title: "a predicate", one: "CREATE INDEX i ON t (a) WHERE c > 1" },
    other:
      "CREATE INDEX i ON t (a) WITH (fillfactor = 70) WHERE c > 2 AND b <> ' WITH (fillfactor=''70'')'",
  },
  {
    title: "an expression",
    one: "CREATE INDEX i ON t ((a + 1))",
    other: "CREATE INDEX i ON t ((a + 2))",
  },
  {
    title: "an index's method",
    one: "CREATE INDEX i ON t (a)",
    other: "CREATE INDEX i ON t USING hash (a)",
  },
  {
    ...{
      title: "an index's options",
      one: "CREATE INDEX i ON t USING gin (to_tsvector('simple', b))",
    },
    other: "CREATE INDEX i ON t USING gin (to_tsvector('simple', b)) WITH (fastupdate = off)",
  },
  {
    ...{ title: "the index that orders a table", both: "CREATE INDEX i ON t (a);" },
    other: "ALTER TABLE t CLUSTER ON i",
  },
  {
    title: "the index that orders a materialized view",
    both: "CREATE MATERIALIZED VIEW m AS SELECT * FROM t; CREATE INDEX i ON m (a);",
    other: "ALTER MATERIALIZED VIEW m CLUSTER ON i",
  },
  {
    ...{ title: "the index of replication", both: "CREATE UNIQUE INDEX i ON t (c);" },
    other: "ALTER TABLE t REPLICA IDENTITY USING INDEX i",
  },
  {
    ...{ title: "an index's comment", both: "CREATE INDEX i ON t (a);" },
    other: "COMMENT ON INDEX i IS 'x'",
  },
  {
    title: "an index of a table whose name reads as a statement",
    both: 'CREATE TABLE "ON x USING y" (a int);',
    ...{
      one: 'CREATE INDEX i ON "ON x USING y" (a)',
      other: 'CREATE INDEX i ON "ON x USING y" (a DESC)',
    },
  },
].map((each) => ({ ...each, both: `${TABLE} ${"both" in each ? each.both : ""}` }));
