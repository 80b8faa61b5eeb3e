import type { Caller } from "@steward/kernel/caller.js";
import type { ChangedTable } from "@steward/schema";
import type { PlannedStatement, StatementPolicy } from "../governance/index.js";

/** What a migration of a data source does. */
export interface MigrationToDecide {
  readonly database: string;
  /** The tables that it changes; computed only if policies depend on them. */
  readonly tables: () => readonly ChangedTable[];
}

/**
 * A migration as the statement that policies are asked about: a change of its data source's schema, and of each
 * of its tables, as the statement of a step would make it.
 */
export async function migrationStatement(
  policy: Pick<StatementPolicy, "looksAtData">,
  caller: Caller,
  { database: dataSource, tables }: MigrationToDecide,
): Promise<PlannedStatement> {
  const whole = { dataSource, intent: "admin", kinds: ["admin"] } as const;
  if (!(await policy.looksAtData(caller, whole.kinds))) return whole;
  const runs = tables().map(({ name, columns, losesRows }) => {
    const accesses = { define: columns, ...(losesRows ? { delete: [] } : {}) };
    return { ...whole, touched: { tables: [{ name, accesses, columns }], functions: [] } };
  });
  return { ...whole, runs };
}
