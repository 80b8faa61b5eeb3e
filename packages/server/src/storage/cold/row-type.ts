import { assert } from "@steward/kernel/assert.js";
import { joined, raw, typed, type Sql, type SqlValue } from "./sql.js";

/** A column: how its values are read and written. */
export interface Column<T> {
  readonly type: "uuid" | "text" | "bigint";
  /** Whether it is read as text. */
  readonly isReadAsText?: true;
  readonly read: (value: unknown) => T;
  readonly write: (value: T) => SqlValue;
}

/** How the rows of a query are read. */
export interface Readable<R> {
  /** @throws Error when a column holds something else. */
  readonly read: (row: object) => R;
}

/** What the rows of a table hold, member by member. The column of `orgId` is `org_id`. */
export interface RowType<R> extends Readable<R> {
  /** The names of the columns, with commas between them. */
  readonly columns: Sql;
  /** The columns as a query has to select them. */
  readonly selected: Sql;
  /** The values of a row to add, in the order of the columns. */
  readonly values: (row: R) => Sql;
}

/** The columns of a row's members. A member that may be absent is NULL then. */
export type Columns<R> = {
  readonly [K in keyof R]-?: Column<object extends Pick<R, K> ? R[K] | undefined : R[K]>;
};

export function rowType<R extends object>(columns: Columns<R>): RowType<R> {
  // The keys of an object literal are those of its type.
  const members = Object.entries(columns) as [keyof R & string, Column<unknown>][];
  const names = members.map(([member]) => columnOf(member));
  return {
    columns: raw(names.join(", ")),
    selected: raw(
      members
        .map(([, { isReadAsText }], index) => {
          const name = names[index] ?? "";
          return isReadAsText === true ? `CAST(${name} AS text) AS ${name}` : name;
        })
        .join(", "),
    ),
    values: (row) =>
      joined(
        members.map(([member, { type, write }]) => typed(write(row[member]), type)),
        ", ",
      ),
    read: (row) => {
      const found = row as Readonly<Record<string, unknown>>;
      const read = members.map(([member, column], index) => [
        member,
        column.read(found[names[index] ?? ""]),
      ]);
      // Every member was read by its own column.
      return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as R;
    },
  };
}

/** A text; a union of texts is one that only this program writes. */
export function text<T extends string = string>(): Column<T> {
  return {
    type: "text",
    // Only members of the union are written.
    read: (value) => textOf(value) as T,
    write: (value) => value,
  };
}

export const uuid: Column<string> = { type: "uuid", read: textOf, write: (value) => value };

export const integer: Column<number> = {
  type: "bigint",
  read: (value) => {
    assert(typeof value === "number", "the column holds a number");
    return value;
  },
  write: (value) => value,
};

/** An amount of money, or a count, that a double cannot hold. */
export const amount: Column<bigint> = {
  type: "bigint",
  isReadAsText: true,
  read: (value) => BigInt(textOf(value)),
  write: (value) => value,
};

/** A value that is stored as JSON. */
export function json<T>(): Column<T> {
  return {
    type: "text",
    // Written by this column.
    read: (value) => JSON.parse(textOf(value)) as T,
    write: (value) => JSON.stringify(value),
  };
}

/** A column that may be NULL. */
export function optional<T>({ type, read, write }: Column<T>): Column<T | undefined> {
  return {
    type,
    read: (value) => (value === null ? undefined : read(value)),
    write: (value) => (value === undefined ? null : write(value)),
  };
}

function textOf(value: unknown): string {
  assert(typeof value === "string", "the column holds text");
  return value;
}

/** `createdAtMs`: `created_at_ms`. */
function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
