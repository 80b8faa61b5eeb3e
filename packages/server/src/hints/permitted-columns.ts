import type { Relation } from "@steward/schema";
import { type Correction, type FailedStatement, type NamedPart, useInstead } from "./correction.js";
import { columnNamed } from "./schema/known-tables.js";

/** Whether the role may read a part of the schema. */
export type MayRead = (part: NamedPart) => Promise<boolean>;

/** Columns that are asked about one by one. */
const COLUMNS_ASKED_MAX = 40;

/**
 * A table of which the role may read only some columns: which columns of the statement to leave out,
 * or which to name in place of `*`.
 */
export async function permittedColumns(
  { message, scopes, tables }: FailedStatement,
  mayRead: MayRead,
): Promise<readonly Correction[]> {
  const name = /^permission denied for (?:table|view) "?(.+?)"?$/.exec(message)?.[1];
  const table = name === undefined ? undefined : tables.find(name);
  if (table === undefined) return [];
  const readable: string[] = [];
  for (const column of table.columns.slice(0, COLUMNS_ASKED_MAX)) {
    if (await mayRead({ table, columns: [column.name] })) readable.push(column.name);
  }
  if (readable.length === 0) {
    const sentence = `Write the statement without the table \`${table.name}\`: its role may read no column of it.`;
    return [{ sentence, names: [] }];
  }
  const part = { table, columns: readable };
  for (const scope of scopes) {
    const source = scope.known.find((each) => each.table === table)?.source;
    if (source === undefined) continue;
    const selected = scope.clauses.get("select") ?? [];
    const star = selected.findIndex(
      ({ text }, index) => text === "*" && selected[index - 1]?.text !== "(",
    );
    if (star !== -1) {
      const isQualified = selected[star - 1]?.text === ".";
      const list = readable.map(
        (column) => (isQualified ? `${source.written}.` : "") + tables.written(column),
      );
      return [useInstead(list.join(", "), isQualified ? `${source.written}.*` : "*", [part])];
    }
    const denied = scope.columns.filter(
      (column) =>
        (column.qualifier === undefined || column.qualifier === source.alias) &&
        isDenied(table, column.name, readable),
    );
    const written = [...new Set(denied.map(({ text }) => text))];
    if (written.length > 0) return written.map((text) => leaveOut(text, readable, part));
  }
  return [];
}

function leaveOut(text: string, readable: readonly string[], part: NamedPart): Correction {
  const { table } = part;
  const sentence = `Leave out \`${text}\`: of ${table.name} this role may read ${readable.join(", ")}.`;
  return { sentence, names: [part] };
}

function isDenied(table: Relation, name: string, readable: readonly string[]): boolean {
  const column = columnNamed(table, name);
  return column !== undefined && !readable.includes(column.name);
}
