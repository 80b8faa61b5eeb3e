import type { Caller } from "@steward/kernel/caller.js";
import {
  type StatementPolicy,
  type TouchedData,
  type TouchedTable,
  withSources,
} from "../../governance/index.js";
import type { PreviewedTable } from "../ports.js";

/**
 * The tables that a statement changes, with the columns that a caller may read: those of which a
 * SELECT would be permitted.
 * @returns `undefined` when the caller may not read all that the statement itself reads.
 */
export async function shownColumns(
  policy: StatementPolicy,
  caller: Caller,
  dataSource: string,
  { tables }: TouchedData,
): Promise<readonly PreviewedTable[] | undefined> {
  const looksAtData = await policy.looksAtData(caller);
  const mayRead = (some: readonly TouchedTable[]): Promise<boolean> =>
    policy.permits(caller, {
      ...{ dataSource, intent: "read_select" },
      ...(looksAtData && { touched: { tables: some, functions: [] } }),
    });
  const read = tables.map((table) => reading(table, table.accesses.read ?? []));
  if (!(await mayRead(read))) return undefined;
  const shown: PreviewedTable[] = [];
  for (const table of tables) {
    const { insert, update, delete: removed } = table.accesses;
    if ((insert ?? update ?? removed) === undefined) continue;
    const isWhole = await mayRead([reading(table, table.columns)]);
    const columns: string[] = [];
    for (const column of table.columns) {
      if (isWhole || (await mayRead([reading(table, withSources(table, column))]))) {
        columns.push(column);
      }
    }
    shown.push({ name: table.name, columns });
  }
  return shown;
}

function reading(table: TouchedTable, read: readonly string[]): TouchedTable {
  const { name, schema, columns } = table;
  return { name, ...(schema !== undefined && { schema }), accesses: { read }, columns };
}
