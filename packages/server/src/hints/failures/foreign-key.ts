import type { Correction, FailedStatement, FailureRule } from "../correction.js";
import { columnsByConstraintName } from "../schema/constraint-name.js";
import type { KeyEdge, KnownTables } from "../schema/known-tables.js";
import { type RefusedWrite, refusedWrite } from "./refused-row.js";

/**
 * A row that refers to no row, or one that others refer to: the query that shows the rows on the other side. SQLite does
 * not tell which key it is, so that each one that the statement may violate is named.
 */
export const foreignKey: FailureRule = (failed) => {
  if (failed.fault?.kind !== "foreign key") return [];
  const write = refusedWrite(failed);
  if (write === undefined) return [];
  const { tables, sql } = failed;
  const referring = tables.edgesOf(write.table).filter((edge) => isViolable(edge, write, failed));
  const sentences = referring.map((edge): Correction => {
    const names = [
      { table: edge.from, columns: edge.pairs.map(([own]) => own) },
      { table: edge.to, columns: edge.pairs.map(([, other]) => other) },
    ];
    const sentence = edge.isReference
      ? missingRow(edge, tables)
      : referringRows(edge, write, { tables, sql });
    return { sentence, names };
  });
  // Two keys may be over the same columns.
  const distinct = [...new Map(sentences.map((each) => [each.sentence, each])).values()];
  if (distinct.length < 2) return distinct;
  const all = {
    sentence: distinct.map(({ sentence }) => sentence).join(" "),
    names: distinct.flatMap(({ names }) => names),
  };
  return [all, ...distinct];
};

/** Whether the write can violate a key: one from its table that it writes, or one to what it removes. */
function isViolable(
  { from, to, pairs, isReference }: KeyEdge,
  { kind, columns }: RefusedWrite,
  { constraint }: FailedStatement,
): boolean {
  const isOwn = kind === "insert" ? isReference : kind === "delete" ? !isReference : true;
  const written = columns === undefined || pairs.some(([own]) => columns.has(own.toLowerCase()));
  if (!isOwn || !written) return false;
  if (constraint?.isName !== true) return true;
  const child = isReference ? from : to;
  const named = columnsByConstraintName(child, constraint.text);
  const own = pairs.map(([one, other]) => (isReference ? one : other));
  return named === undefined ? true : named.join() === own.join();
}

function missingRow({ to, pairs }: KeyEdge, tables: KnownTables): string {
  const own = list(
    pairs.map(([name]) => name),
    tables,
  );
  const query = `SELECT ${list(
    pairs.map(([, name]) => name),
    tables,
  )} FROM ${tables.writtenTable(to)}`;
  const what = pairs.length > 1 ? "values" : "a value";
  return `Give \`${own}\` ${what} that \`${query}\` returns, or insert the row into \`${tables.writtenTable(to)}\` first.`;
}

function referringRows(
  { to: child, pairs }: KeyEdge,
  write: RefusedWrite,
  { tables, sql }: { readonly tables: KnownTables; readonly sql: string },
): string {
  const columns = pairs.map(([, name]) => name);
  const shown = [...new Set([...child.primaryKey, ...columns])];
  const from = tables.writtenTable(child);
  const keys = list(columns, tables);
  const keyList = columns.length > 1 ? `(${keys})` : keys;
  const inner = removedRows(
    write,
    pairs.map(([name]) => name),
    { tables, sql },
  );
  const where =
    inner === undefined ? `${keys.split(", ")[0] ?? ""} IS NOT NULL` : `${keyList} IN (${inner})`;
  const query = `SELECT ${list(shown, tables)} FROM ${from} WHERE ${where}`;
  return `Change or delete first the rows of \`${from}\` that refer to these: \`${query}\`.`;
}

/** The query of the rows that a write removes; `undefined` when the statement does not tell them alone. */
function removedRows(
  { scope, table, written }: RefusedWrite,
  columns: readonly string[],
  { tables, sql }: { readonly tables: KnownTables; readonly sql: string },
): string | undefined {
  const where = scope.clauses.get("where") ?? [];
  const hasOthers = scope.sources.length > 1 || scope.clauses.has("with");
  if (hasOthers || where.some(({ kind }) => kind === "parameter")) return undefined;
  const source = tables.writtenTable(table);
  const alias = written.toLowerCase() === table.bareName.toLowerCase() ? "" : ` ${written}`;
  const last = where.at(-1);
  const condition = last === undefined ? "" : ` WHERE ${sql.slice(where[0]?.at, last.end)}`;
  return `SELECT ${list(columns, tables)} FROM ${source}${alias}${condition}`;
}

function list(columns: readonly string[], tables: KnownTables): string {
  return columns.map((name) => tables.written(name)).join(", ");
}
