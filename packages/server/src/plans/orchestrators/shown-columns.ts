import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { StatementPolicy, TouchedData, TouchedTable } from "../../governance/index.js";
import type { PreviewedTable } from "../ports.js";
import { POLICY_REFUSALS } from "../attempts/step-decisions.js";

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
    isPermitted(() =>
      policy.permit(caller, {
        ...{ dataSource, intent: "read_select" },
        ...(looksAtData && { touched: { tables: some, functions: [] } }),
      }),
    );
  const read = tables.map((table) => reading(table, table.accesses.read ?? []));
  if (!(await mayRead(read))) return undefined;
  const shown: PreviewedTable[] = [];
  for (const table of tables) {
    const { insert, update, delete: removed } = table.accesses;
    if ((insert ?? update ?? removed) === undefined) continue;
    const isWhole = await mayRead([reading(table, table.columns)]);
    const columns: string[] = [];
    for (const column of table.columns) {
      if (isWhole || (await mayRead([reading(table, [column])]))) columns.push(column);
    }
    shown.push({ name: table.name, columns });
  }
  return shown;
}

function reading({ name, columns }: TouchedTable, read: readonly string[]): TouchedTable {
  return { name, accesses: { read }, columns };
}

async function isPermitted(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || !POLICY_REFUSALS.has(error.code)) throw error;
    return false;
  }
}
