/** A column of a random table, beside its key `id`. */
export interface Column {
  readonly name: string;
  /** Type, default and NOT NULL, as written. */
  readonly definition: string;
}

/** A random table with its indexes, as written. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly string[];
}

/** Two schemas, and rows for the first. */
export interface RandomSchemas {
  readonly base: readonly Table[];
  readonly wanted: readonly Table[];
  /** INSERT statements. */
  readonly rows: readonly string[];
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

const ROWS: readonly string[] = [
  "INSERT INTO t0 (id, code, total) SELECT n, 'c' || n, n * 7 FROM generate_series(1, 20) n",
  "INSERT INTO t1 (id, note) SELECT n, 'note ' || n FROM generate_series(1, 20) n",
  "INSERT INTO t2 (id) SELECT n FROM generate_series(1, 3) n",
];

/** A change of one table; undefined where it drops the table. */
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

/** What may happen to the tables; each by itself, so that any choice of them is a schema. */
const CHANGES: readonly (readonly [table: string, change: Change])[] = [
  ["t0", addColumn("extra", "text")],
  ["t0", addColumn("flag", "boolean NOT NULL DEFAULT false")],
  ["t0", addIndex("CREATE UNIQUE INDEX t0_code ON t0 (code)")],
  ["t0", addIndex("CREATE INDEX t0_both ON t0 (total, code)")],
  ["t0", redefine("total", "bigint DEFAULT 1")],
  ["t0", redefine("code", "text NOT NULL")],
  ["t0", (table) => ({ ...table, indexes: [] })],
  ["t1", addColumn("parent", "integer REFERENCES t2 (id)")],
  ["t1", addIndex("CREATE INDEX t1_note ON t1 (note)")],
  ["t1", (table) => ({ ...table, columns: table.columns.filter(({ name }) => name !== "note") })],
  ["t2", addColumn("kind", "text CHECK (kind <> '')")],
];

/** A random change of a few tables with rows. @param random From 0 to 1. */
export function randomSchemas(random: () => number): RandomSchemas {
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
  return { base: BASE, rows: ROWS, wanted: random() < 0.5 ? [...wanted, added] : wanted };
}

/** A schema as definitions, tables that others refer to first. */
export function sqlOf(tables: readonly Table[]): string {
  const inOrder = [...tables].sort((a, b) => Number(b.name === "t2") - Number(a.name === "t2"));
  return inOrder
    .map(({ name, columns, indexes }) => {
      const list = columns.map((each) => `${each.name} ${each.definition}`).join(", ");
      return [`CREATE TABLE ${name} (${list})`, ...indexes].join(";\n");
    })
    .join(";\n");
}
