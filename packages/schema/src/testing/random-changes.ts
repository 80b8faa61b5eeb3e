import type { Dialect } from "../model/schema.js";

/** A table with rows, and how a random wanted schema changes it. */
interface TableBefore {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
}

const BEFORE: readonly TableBefore[] = [
  {
    schema: "s",
    name: "a",
    columns: [
      ["code", "text"],
      ["n", "integer"],
    ],
  },
  { schema: "s", name: "b", columns: [["note", "varchar(10)"]] },
  {
    schema: "public",
    name: "c",
    columns: [
      ["x", "integer"],
      ["y", "text"],
    ],
  },
];
const VALUES = ["'007'", "'7'", "'Ada'", "NULL", "''", "'long text'"];
const NUMBERS = ["7", "70000", "0", "NULL", "-1"];
const TYPES = ["text", "integer", "bigint", "smallint", "varchar(3)", "varchar(10)"];

/** Two schemas as SQL, the second with rename hints, and rows for the first. */
export interface RandomChange {
  readonly base: string;
  readonly rows: string;
  readonly wanted: string;
}

/** Picks one of `count` possibilities, counted from 0. */
export type Pick = (count: number) => number;

/** Picks by a list of numbers; the first possibility once the list is used up. */
export function pickFrom(numbers: readonly number[]): Pick {
  let at = 0;
  return (count) => (numbers[at++] ?? 0) % count;
}

/**
 * A random change of a schema with rows: tables and columns are kept, renamed, moved, retyped or
 * dropped.
 */
export function randomChange(dialect: Dialect, pick: Pick): RandomChange {
  const isPostgres = dialect === "postgres";
  const place = (schema: string): string => (isPostgres ? `${schema}.` : "");
  // In one of four cases the schema s is renamed; in another it is dropped when nothing is left in
  // it.
  const s = isPostgres && pick(4) === 1 ? "r" : "s";
  const tables = BEFORE.flatMap((table) => {
    const home = table.schema === "s" ? s : "public";
    const other = home === "public" ? s : "public";
    const from = `/* @renamed from=${place(table.schema)}${table.name} */`;
    const columns = [
      "id INTEGER PRIMARY KEY",
      ...table.columns.flatMap((each) => after(each, pick)),
    ];
    const make = (schema: string, name: string, hint = ""): readonly string[] => [
      `CREATE TABLE ${place(schema)}${name} (${columns.join(", ")}) ${hint}`,
    ];
    switch (pick(20)) {
      case 0:
        return [];
      case 1:
        return make(home, `${table.name}_new`);
      case 2:
      case 3:
        return make(home, `${table.name}_new`, from);
      case 4:
      case 5:
        return isPostgres ? make(other, table.name, from) : make(home, table.name);
      case 6:
        return isPostgres ? make(other, `${table.name}_new`, from) : make(home, table.name);
      default:
        return make(home, table.name);
    }
  });
  const isUsed = tables.some((sql) => sql.includes(` ${s}.`));
  const schema = s === "r" ? "CREATE SCHEMA r /* @renamed from=s */" : "CREATE SCHEMA s";
  return {
    base: [
      ...(isPostgres ? ["CREATE SCHEMA s"] : []),
      ...BEFORE.map(({ schema: home, name, columns }) => {
        const list = columns.map((each) => each.join(" ")).join(", ");
        return `CREATE TABLE ${place(home)}${name} (id INTEGER PRIMARY KEY, ${list})`;
      }),
    ].join(";\n"),
    rows: BEFORE.map((table) => insertInto(table, place(table.schema), pick)).join(";\n"),
    wanted: [...(isPostgres && (isUsed || s === "r") ? [schema] : []), ...tables].join(";\n"),
  };
}

/** The column after the change. */
function after([name, type]: readonly [string, string], pick: Pick): readonly string[] {
  const other = TYPES[pick(TYPES.length)] ?? type;
  const from = `/* @renamed from=${name} */`;
  switch (pick(32)) {
    case 0:
      return [];
    case 1:
      return [`${name}_new ${type}`];
    case 2:
    case 3:
      return [`${name}_new ${type} ${from}`];
    case 4:
      return [`${name}_new ${other} ${from}`];
    case 5:
    case 6:
    case 7:
      return [`${name} ${other}`];
    case 8:
      return [`${name} ${type} NOT NULL`];
    case 9:
      return [`${name} ${type} UNIQUE`];
    case 10:
      return [`${name} ${type} DEFAULT NULL`, `${name}_more ${other}`];
    default:
      return [`${name} ${type}`];
  }
}

function insertInto({ name, columns }: TableBefore, place: string, pick: Pick): string {
  const rows = [1, 2, 3].map((id) => {
    const values = columns.map(([, type]) => {
      const all = type === "integer" ? NUMBERS : VALUES;
      return all[pick(all.length)] ?? "NULL";
    });
    return `(${[String(id), ...values].join(", ")})`;
  });
  return `INSERT INTO ${place}${name} VALUES ${rows.join(", ")}`;
}
