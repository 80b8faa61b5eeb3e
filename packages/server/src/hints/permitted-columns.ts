import type { Relation } from "@steward/schema";
import { type Correction, type FailedStatement, type NamedPart, useInstead } from "./correction.js";
import { columnNamed, type KnownTables } from "./schema/known-tables.js";

/** Whether the role may read a part of the schema. */
export type MayRead = (part: NamedPart) => Promise<boolean>;

/** Columns that are asked about one by one. */
const COLUMNS_ASKED_MAX = 40;

/**
 * A table of which the role may read only some columns: which columns of the statement to leave out,
 * or which to name in place of `*`.
 */
export async function permittedColumns(
  failed: FailedStatement,
  mayRead: MayRead,
): Promise<readonly Correction[]> {
  if (failed.fault?.kind !== "access denied") return [];
  const named = failed.scopes.flatMap(({ known }) => known.map(({ table }) => table));
  // The engine does not say which table it is in a form of its own.
  for (const table of [...new Set(named)].slice(0, TABLES_ASKED_MAX)) {
    const columns = table.columns.map(({ name }) => name);
    if (columns.length === 0 || (await mayRead({ table, columns }))) continue;
    return permittedOf(table, failed, mayRead);
  }
  return [];
}

/** Tables that are asked about. */
const TABLES_ASKED_MAX = 8;

async function permittedOf(
  table: Relation,
  { scopes, tables }: FailedStatement,
  mayRead: MayRead,
): Promise<readonly Correction[]> {
  const readable: string[] = [];
  for (const column of table.columns.slice(0, COLUMNS_ASKED_MAX)) {
    if (await mayRead({ table, columns: [column.name] })) readable.push(column.name);
  }
  if (readable.length === 0) {
    const sentence = `Write the statement without the table \`${tables.writtenTable(table)}\`: its role may read no column of it.`;
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
    if (written.length > 0) return written.map((text) => leaveOut(text, part, tables));
  }
  return [];
}

function leaveOut(text: string, part: NamedPart, tables: KnownTables): Correction {
  const readable = part.columns.map((name) => tables.written(name)).join(", ");
  const sentence = `Leave out \`${text}\`: of ${tables.writtenTable(part.table)} this role may read ${readable}.`;
  return { sentence, names: [part] };
}

function isDenied(table: Relation, name: string, readable: readonly string[]): boolean {
  const column = columnNamed(table, name);
  return column !== undefined && !readable.includes(column.name);
}
