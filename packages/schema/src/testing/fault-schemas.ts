import type { Dialect } from "../model/schema.js";
import { pickFrom, randomChange } from "./random-changes.js";

/** Two schemas as SQL, and rows for the first. The key of every table is `id`. */
export interface FaultSchemas {
  readonly base: string;
  readonly wanted: string;
  /** INSERT statements with ids below 900. */
  readonly rows: string;
  /** A table of the first schema with a column `code`. */
  readonly table: string;
}

/** A column of a random table, other than `id`. */
interface Column {
  readonly name: string;
  /** The column definition without the name. */
  readonly definition: string;
}

/** A random table with its indexes, as SQL. */
interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly string[];
}

const BASE: readonly Table[] = [
  {
    name: "t0",
    columns: [
      { name: "id", definition: "integer PRIMARY KEY" },
      { name: "code", definition: "text" },
      { name: "total", definition: "integer DEFAULT 1" },
    ],
    indexes: ["CREATE INDEX t0_total ON t0 (total)"],
  },
  {
    name: "t1",
    columns: [
      { name: "id", definition: "integer PRIMARY KEY" },
      { name: "note", definition: "text" },
    ],
    indexes: [],
  },
  { name: "t2", columns: [{ name: "id", definition: "integer PRIMARY KEY" }], indexes: [] },
];

/** A table of the numbers from 1 on, in SQL that both engines accept. */
const numbers = (count: number): string =>
  `(WITH RECURSIVE up (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM up WHERE n < ${String(count)}) SELECT n FROM up) AS ns`;

const ROWS: readonly string[] = [
  `INSERT INTO t0 (id, code, total) SELECT n, 'c' || n, n * 7 FROM ${numbers(20)}`,
  `INSERT INTO t1 (id, note) SELECT n, 'note ' || n FROM ${numbers(20)}`,
  `INSERT INTO t2 (id) SELECT n FROM ${numbers(3)}`,
];

/** A change of one table; undefined drops the table. */
type Change = (table: Table) => Table | undefined;

const addColumn =
  (name: string, definition: string): Change =>
  (table) => ({ ...table, columns: [...table.columns, { name, definition }] });
const addIndex =
  (sql: string): Change =>
  (table) => ({ ...table, indexes: [...table.indexes, sql] });
const redefine =
  (name: string, definition: string): Change =>
  (table) => ({
    ...table,
    columns: table.columns.map((each) => (each.name === name ? { name, definition } : each)),
  });

/**
 * Possible changes of the tables. They are independent, so that every combination is a valid
 * schema.
 */
const CHANGES: readonly (readonly [table: string, change: Change])[] = [
  ["t0", addColumn("extra", "text")],
  ["t0", addColumn("flag", "boolean NOT NULL DEFAULT false")],
  ["t0", addIndex("CREATE UNIQUE INDEX t0_code ON t0 (code)")],
  ["t0", addIndex("CREATE INDEX t0_both ON t0 (total, code)")],
  ["t0", redefine("total", "bigint DEFAULT 1")],
  ["t0", redefine("code", "text NOT NULL")],
  ["t0", (table) => ({ ...table, indexes: [] })],
  ["t1", addColumn("parent", "integer REFERENCES t2 (id)")],
  // No row of t2 has the default key 99, so existing rows of t1 violate the foreign key.
  ["t1", addColumn("owner", "integer DEFAULT 99 REFERENCES t2 (id)")],
  ["t1", addIndex("CREATE INDEX t1_note ON t1 (note)")],
  ["t1", (table) => ({ ...table, columns: table.columns.filter(({ name }) => name !== "note") })],
  ["t2", addColumn("kind", "text CHECK (kind <> '')")],
];

/**
 * A random change of a few tables with rows.
 * @param random returns numbers in [0, 1).
 */
export function faultSchemas(dialect: Dialect, random: () => number): FaultSchemas {
  // The other generator uses several schemas on PostgreSQL.
  if (dialect === "postgres" || random() < 0.5) return changedTables(random);
  const picks = Array.from({ length: 60 }, () => Math.floor(random() * 1000));
  return { ...randomChange(dialect, pickFrom(picks)), table: "a" };
}

/** Changes with many steps: columns, indexes, keys and tables. */
function changedTables(random: () => number): FaultSchemas {
  const chosen = CHANGES.filter(() => random() < 0.4);
  const changed = BASE.flatMap((table) => {
    let now: Table | undefined = table;
    for (const [name, change] of chosen) {
      if (name === table.name && now !== undefined) now = change(now);
    }
    return now === undefined ? [] : [now];
  });
  const isNoteGone = !changed[1]?.columns.some(({ name }) => name === "note");
  const wanted = changed.map((table) => ({
    ...table,
    indexes: table.indexes.filter((sql) => !(isNoteGone && sql.includes("t1_note"))),
  }));
  const added: Table = {
    name: "t3",
    columns: [{ name: "id", definition: "integer PRIMARY KEY" }],
    indexes: [],
  };
  return {
    base: sqlOf(BASE),
    rows: ROWS.join(";\n"),
    wanted: sqlOf(random() < 0.5 ? [...wanted, added] : wanted),
    table: "t0",
  };
}

/** A schema as definitions, referenced tables first. */
function sqlOf(tables: readonly Table[]): string {
  const inOrder = [...tables].sort((a, b) => Number(b.name === "t2") - Number(a.name === "t2"));
  return inOrder
    .map(({ name, columns, indexes }) => {
      const list = columns.map((each) => `${each.name} ${each.definition}`).join(", ");
      return [`CREATE TABLE ${name} (${list})`, ...indexes].join(";\n");
    })
    .join(";\n");
}
