import type { SchemaDifference } from "./difference.js";

const KEYS = "CREATE TABLE r (a int PRIMARY KEY); CREATE TABLE t (a int, b int);";
/** Differences in constraints. */
export const CONSTRAINTS: readonly SchemaDifference[] = [
  ...(
    [
      ["NOT VALID of a check", "CHECK (b > 0)", "CHECK (b > 0) NOT VALID"],
      ["NO INHERIT of a check", "CHECK (b > 0)", "CHECK (b > 0) NO INHERIT"],
      [
        "NOT VALID of a foreign key",
        "FOREIGN KEY (a) REFERENCES r",
        "FOREIGN KEY (a) REFERENCES r NOT VALID",
      ],
      [
        "ON DELETE",
        "FOREIGN KEY (a) REFERENCES r",
        "FOREIGN KEY (a) REFERENCES r ON DELETE CASCADE",
      ],
      [
        "ON UPDATE",
        "FOREIGN KEY (a) REFERENCES r",
        "FOREIGN KEY (a) REFERENCES r ON UPDATE SET NULL",
      ],
      ["MATCH", "FOREIGN KEY (a) REFERENCES r", "FOREIGN KEY (a) REFERENCES r MATCH FULL"],
      ["DEFERRABLE", "FOREIGN KEY (a) REFERENCES r", "FOREIGN KEY (a) REFERENCES r DEFERRABLE"],
      ["INITIALLY DEFERRED", "UNIQUE (a) DEFERRABLE", "UNIQUE (a) DEFERRABLE INITIALLY DEFERRED"],
      ["INCLUDE of a key", "PRIMARY KEY (a)", "PRIMARY KEY (a) INCLUDE (b)"],
      ["options of a key", "PRIMARY KEY (a)", "PRIMARY KEY (a) WITH (fillfactor = 70)"],
      ["the predicate of an exclusion", "EXCLUDE (a WITH =)", "EXCLUDE (a WITH =) WHERE (b > 0)"],
    ] as const
  ).map(([title, one, other]) => ({
    ...{ title, one: `ALTER TABLE t ADD CONSTRAINT k ${one}` },
    other: `ALTER TABLE t ADD CONSTRAINT k ${other}`,
  })),
  {
    ...{
      title: "columns of SET NULL",
      since: 15,
      one: "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES r ON DELETE SET NULL",
    },
    other: "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES r ON DELETE SET NULL (a)",
  },
  {
    ...{
      title: "NULLS NOT DISTINCT of a constraint",
      since: 15,
      one: "ALTER TABLE t ADD UNIQUE (a)",
    },
    other: "ALTER TABLE t ADD UNIQUE NULLS NOT DISTINCT (a)",
  },
  {
    ...{ title: "NOT ENFORCED", since: 18, one: "ALTER TABLE t ADD CONSTRAINT k CHECK (b > 0)" },
    other: "ALTER TABLE t ADD CONSTRAINT k CHECK (b > 0) NOT ENFORCED",
  },
  {
    ...{ title: "a constraint's name", one: "ALTER TABLE t ADD CONSTRAINT k CHECK (b > 0)" },
    other: "ALTER TABLE t ADD CONSTRAINT l CHECK (b > 0)",
  },
  {
    title: "triggers of a foreign key that do not fire",
    both: "ALTER TABLE t ADD CONSTRAINT k FOREIGN KEY (a) REFERENCES r;",
    other: "ALTER TABLE t DISABLE TRIGGER ALL; ALTER TABLE r DISABLE TRIGGER ALL",
  },
  {
    title: "a foreign key whose rows are not looked at when replicated ones come",
    both: "ALTER TABLE t ADD CONSTRAINT k UNIQUE (a) DEFERRABLE;",
    other: `DO $$ BEGIN EXECUTE format('ALTER TABLE t ENABLE ALWAYS TRIGGER %I',
      (SELECT tgname FROM pg_trigger WHERE tgrelid = 't'::regclass)); END $$`,
  },
  {
    title: "NOT VALID of a domain's check",
    one: "CREATE DOMAIN d AS int; ALTER DOMAIN d ADD CONSTRAINT k CHECK (VALUE > 0)",
    other: "CREATE DOMAIN d AS int; ALTER DOMAIN d ADD CONSTRAINT k CHECK (VALUE > 0) NOT VALID",
  },
].map((each) => ({
  both: KEYS,
  ...each,
  ...("both" in each ? { both: `${KEYS} ${each.both}` } : {}),
}));
