import { type SchemaDifference, TRIGGER } from "./difference.js";

const PARTITIONS = `CREATE TABLE p (a int NOT NULL, b int NOT NULL) PARTITION BY LIST (a);
  CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);`;
/** Differences in partitions and in the objects that they inherit. */
export const PARTITIONED: readonly SchemaDifference[] = [
  {
    title: "a partitioned unique index that lacks one of its parts",
    one: "CREATE UNIQUE INDEX i ON p (a, b)",
    other: `CREATE UNIQUE INDEX i ON ONLY p (a, b); CREATE UNIQUE INDEX p1_a_b_idx ON p1 (a, b);
      ALTER INDEX i ATTACH PARTITION p1_a_b_idx`,
  },
  {
    title: "an index of a partition that is attached, and one that is not",
    one: "CREATE INDEX i ON p (b)",
    other: `CREATE INDEX i ON ONLY p (b); CREATE INDEX p1_b_idx ON p1 (b); CREATE INDEX p2_b_idx ON p2 (b);
      ALTER INDEX i ATTACH PARTITION p2_b_idx`,
  },
  {
    title: "a partitioned key that lacks one of its parts",
    one: "ALTER TABLE p ADD CONSTRAINT k PRIMARY KEY (a, b)",
    other: `ALTER TABLE ONLY p ADD CONSTRAINT k PRIMARY KEY (a, b); ALTER TABLE p1 ADD PRIMARY KEY (a, b);
      ALTER INDEX k ATTACH PARTITION p1_pkey`,
  },
  {
    ...{ title: "the name of a partition's index", one: "CREATE INDEX i ON p (b)" },
    other: "CREATE INDEX other ON p1 (b); CREATE INDEX i ON p (b)",
  },
  {
    ...{ title: "the name of a partition's key", one: "ALTER TABLE p ADD PRIMARY KEY (a, b)" },
    other:
      "ALTER TABLE p1 ADD CONSTRAINT other PRIMARY KEY (a, b); ALTER TABLE p ADD PRIMARY KEY (a, b)",
  },
  {
    ...{
      title: "which of two equal indexes is attached",
      one: "CREATE INDEX x ON p1 (b); CREATE INDEX i ON p (b); CREATE INDEX y ON p1 (b)",
    },
    other: "CREATE INDEX y ON p1 (b); CREATE INDEX i ON p (b); CREATE INDEX x ON p1 (b)",
  },
  {
    ...{ title: "options of a partition's index", both: "CREATE INDEX i ON p (b);" },
    other: "ALTER INDEX p1_b_idx SET (fillfactor = 70)",
  },
  {
    ...{ title: "a comment on a partition's index", both: "CREATE INDEX i ON p (b);" },
    other: "COMMENT ON INDEX p1_b_idx IS 'x'",
  },
  {
    ...{ title: "the index that orders a partition", both: "CREATE INDEX i ON p (b);" },
    other: "ALTER TABLE p1 CLUSTER ON p1_b_idx",
  },
  {
    ...{
      title: "the index that a partition is replicated by",
      both: "CREATE UNIQUE INDEX i ON p (a, b);",
    },
    other: "ALTER TABLE p1 REPLICA IDENTITY USING INDEX p1_a_b_idx",
  },
  {
    title: "the name of a partition's foreign key",
    both: "CREATE TABLE r (b int PRIMARY KEY);",
    one: "ALTER TABLE p ADD CONSTRAINT k FOREIGN KEY (b) REFERENCES r",
    other: `ALTER TABLE p1 ADD CONSTRAINT other FOREIGN KEY (b) REFERENCES r;
      ALTER TABLE p ADD CONSTRAINT k FOREIGN KEY (b) REFERENCES r`,
  },
  {
    title: "a check that one partition has looked at its rows for",
    both: "ALTER TABLE p ADD CONSTRAINT k CHECK (b > 0) NOT VALID;",
    other: "ALTER TABLE p1 VALIDATE CONSTRAINT k",
  },
  {
    ...{
      title: "a comment on a partition's check",
      both: "ALTER TABLE p ADD CONSTRAINT k CHECK (b > 0);",
    },
    other: "COMMENT ON CONSTRAINT k ON p1 IS 'x'",
  },
  {
    title: "a trigger that does not fire in one partition",
    both: `${TRIGGER} CREATE TRIGGER z BEFORE INSERT ON p FOR EACH ROW EXECUTE FUNCTION g();`,
    other: "ALTER TABLE p1 DISABLE TRIGGER z",
  },
  {
    title: "a trigger that fires in one partition",
    both: `${TRIGGER} CREATE TRIGGER z BEFORE INSERT ON p FOR EACH ROW EXECUTE FUNCTION g();
      ALTER TABLE p DISABLE TRIGGER z;`,
    other: "ALTER TABLE p1 ENABLE TRIGGER z",
  },
  {
    title: "a comment on a partition's trigger",
    both: `${TRIGGER} CREATE TRIGGER z BEFORE INSERT ON p FOR EACH ROW EXECUTE FUNCTION g();`,
    other: "COMMENT ON TRIGGER z ON p1 IS 'x'",
  },
  { title: "a partition's own default", other: "ALTER TABLE p1 ALTER b SET DEFAULT 7" },
  { title: "a partition's own check", other: "ALTER TABLE p1 ADD CHECK (b < 9)" },
  {
    ...{ title: "a partition's own trigger", both: TRIGGER },
    other: "CREATE TRIGGER z BEFORE INSERT ON p1 FOR EACH ROW EXECUTE FUNCTION g()",
  },
  { title: "a comment on a partition's column", other: "COMMENT ON COLUMN p1.b IS 'x'" },
  { title: "statistics of a partition's column", other: "ALTER TABLE p1 ALTER b SET STATISTICS 7" },
  { title: "rights on a partition's column", other: "GRANT SELECT (b) ON p1 TO pg_monitor" },
  { title: "options of a partition", other: "ALTER TABLE p1 SET (fillfactor = 70)" },
  { title: "row security of a partition", other: "ALTER TABLE p1 ENABLE ROW LEVEL SECURITY" },
  {
    title: "a partition that came later",
    other: "CREATE TABLE p3 PARTITION OF p FOR VALUES IN (3)",
  },
  {
    ...{ title: "a bound", one: "CREATE TABLE p3 PARTITION OF p FOR VALUES IN (3)" },
    other: "CREATE TABLE p3 PARTITION OF p FOR VALUES IN (3, 4)",
  },
  {
    ...{ title: "the default partition", one: "CREATE TABLE p3 PARTITION OF p FOR VALUES IN (3)" },
    other: "CREATE TABLE p3 PARTITION OF p DEFAULT",
  },
  {
    title: "columns of a foreign partition",
    both: `CREATE FOREIGN DATA WRAPPER §_w; CREATE SERVER §_s FOREIGN DATA WRAPPER §_w;
      CREATE FOREIGN TABLE p3 PARTITION OF p FOR VALUES IN (3) SERVER §_s;`,
    other: "ALTER FOREIGN TABLE p3 ALTER b OPTIONS (ADD x 'y')",
  },
].map((each) => ({ ...each, both: `${PARTITIONS} ${each.both ?? ""}` }));
