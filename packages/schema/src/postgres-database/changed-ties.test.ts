import { describe, expect, it } from "vitest";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { InterruptedMigrations } from "./testing/interrupted-migrations.js";

const DAYS = `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'begin return new; end';
  CREATE TABLE places (id int PRIMARY KEY);
  CREATE TABLE days (day date NOT NULL, n int DEFAULT 1, place int REFERENCES places, note text, CONSTRAINT few CHECK (n > 0), PRIMARY KEY (day)) PARTITION BY RANGE (day);
  CREATE INDEX by_n ON days (n); CREATE TRIGGER g BEFORE INSERT ON days FOR EACH ROW EXECUTE FUNCTION f();
  CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM ('2026-01-01') TO ('2026-01-02');`;
const BOUND = "FOR VALUES FROM ('2026-01-02') TO ('2026-01-03')";
/** A table of its own with everything that a partition of `days` has. */
const ALONE = `${DAYS} CREATE TABLE days_2 (day date NOT NULL, n int DEFAULT 5, place int, note text, CONSTRAINT few CHECK (n > 0));
  ALTER TABLE days_2 ADD CONSTRAINT days_2_pkey PRIMARY KEY (day);
  ALTER TABLE days_2 ADD CONSTRAINT days_2_place_fkey FOREIGN KEY (place) REFERENCES places;
  CREATE INDEX days_2_n_idx ON days_2 (n); COMMENT ON COLUMN days_2.note IS 'why';
  GRANT SELECT (note) ON days_2 TO PUBLIC; ALTER TABLE days_2 ALTER note SET STATISTICS 7;`;
const ATTACHED = `${ALONE} ALTER TABLE days ATTACH PARTITION days_2 ${BOUND};
  ALTER TABLE days_2 DISABLE TRIGGER g; COMMENT ON TRIGGER g ON days_2 IS 'off';`;
const CHILD = "CREATE TABLE above (a int, CHECK (a > 0)); ";

/** Changes of a table's parents: the schema before, the table's rows, and the schema after. */
const CHANGES: readonly (readonly [string, string, string, string])[] = [
  ["a table is attached", ALONE, "days_2 VALUES ('2026-01-02')", ATTACHED],
  [
    "a table that lacks columns, checks and keys is attached",
    `${DAYS} CREATE TABLE days_2 (day date, note text);`,
    "days_2 VALUES ('2026-01-02', 'x')",
    ATTACHED,
  ],
  ["a partition is detached", ATTACHED, "days VALUES ('2026-01-02')", ALONE],
  [
    "a partition is detached, and its parent goes",
    ATTACHED,
    "days_2 VALUES ('2026-01-02')",
    "CREATE TABLE days_2 (day date NOT NULL PRIMARY KEY, n int);",
  ],
  [
    "a partition gets other bounds, and its parent another column",
    ATTACHED,
    "days VALUES ('2026-01-02')",
    ATTACHED.replace("TO ('2026-01-03')", "TO ('2026-01-05')")
      .replace("days (day", "days (more text, day")
      .replace("days_2 (day", "days_2 (more text, day"),
  ],
  [
    "a partition gets other bounds, and columns of its parent change names",
    "CREATE TABLE p (a int, b text, c text) PARTITION BY LIST (a); CREATE TABLE days_2 PARTITION OF p FOR VALUES IN (1);",
    "p VALUES (1, 'b', 'c')",
    `CREATE TABLE p (a int, d text, -- @renamed from=b
       e text, -- @renamed from=c
       b text) PARTITION BY LIST (a); CREATE TABLE days_2 PARTITION OF p FOR VALUES IN (1, 2);`,
  ],
  [
    "a partition with partitions moves to another parent",
    `CREATE TABLE p (a int, b int) PARTITION BY LIST (a); CREATE TABLE q (a int, b int) PARTITION BY LIST (a);
     CREATE TABLE days_2 PARTITION OF p FOR VALUES IN (1) PARTITION BY LIST (b);
     CREATE TABLE r PARTITION OF days_2 FOR VALUES IN (1); CREATE INDEX ON p (b);`,
    "days_2 VALUES (1, 1)",
    `CREATE TABLE p (a int, b int) PARTITION BY LIST (a); CREATE TABLE q (a int, b int) PARTITION BY LIST (a);
     CREATE TABLE days_2 PARTITION OF q FOR VALUES IN (1, 2) PARTITION BY LIST (b);
     CREATE TABLE r PARTITION OF days_2 FOR VALUES IN (1); CREATE INDEX ON p (b);`,
  ],
  [
    "a table becomes the partition of a new table with its name",
    "CREATE TABLE days (day date NOT NULL, n int); CREATE INDEX by_n ON days (n);",
    "days VALUES ('2026-01-02')",
    `CREATE TABLE days (day date NOT NULL, n int) PARTITION BY RANGE (day);
     CREATE TABLE days_2 /* @renamed from=days */ (day date NOT NULL, n int); CREATE INDEX by_n ON days_2 (n);
     ALTER TABLE days ATTACH PARTITION days_2 ${BOUND};`,
  ],
  [
    "inheritance begins",
    `${CHILD} CREATE TABLE days_2 (a int, b int);`,
    "days_2 VALUES (1, 1)",
    `${CHILD} CREATE TABLE days_2 (a int, b int, CONSTRAINT above_a_check CHECK (a > 0)); ALTER TABLE days_2 INHERIT above;`,
  ],
  [
    "inheritance ends",
    `${CHILD} CREATE TABLE days_2 (a int, b int, CONSTRAINT above_a_check CHECK (a > 0)); ALTER TABLE days_2 INHERIT above;`,
    "days_2 VALUES (1, 1)",
    `${CHILD} CREATE TABLE days_2 (a int, b int);`,
  ],
  [
    "the inheritance of its only columns ends",
    `${CHILD} CREATE TABLE days_2 () INHERITS (above);`,
    "days_2 VALUES (2)",
    `${CHILD} CREATE TABLE days_2 (a int, CONSTRAINT above_a_check CHECK (a > 0));`,
  ],
];

describe("a PostgreSQL table whose parents change", () => {
  it.each(CHANGES)("keeps its rows when %s, and back", async (_what, base, row, wanted) => {
    await using migrations = await InterruptedMigrations.open(`${base} INSERT INTO ${row}`);
    const { service, db } = migrations;
    const values = async (sql: string) => {
      const table = sql.includes("TABLE days_2") ? "days_2" : "days";
      const [row = {}, ...others] = await db.query(`SELECT * FROM ${table}`);
      expect(others).toEqual([]);
      return Object.values(row).filter((value) => value !== null && value !== 1 && value !== 5);
    };
    const before = await values(base);
    const { id, findings } = await migrations.propose(wanted);
    const lost = findings.filter(({ code }) => code === "destructive").map(({ object }) => object);
    expect(lost.filter((path) => path.startsWith("public.days_2"))).toEqual(
      lost.includes("public.days") ? ["public.days_2.place", "public.days_2.note"] : [],
    );
    await service.apply(ADMIN, id, { acceptDataLoss: true });
    expect((await service.drift(ADMIN, "shop")).differences).toEqual([]);
    expect(await values(wanted)).toEqual(before);
    await service.revert(ADMIN, id, { acceptDataLoss: true });
    expect((await service.drift(ADMIN, "shop")).differences).toEqual([]);
    expect(await values(base)).toEqual(before);
  });
});
