import type { Caller } from "@steward/kernel/caller.js";
import type { MigrationEffect } from "@steward/schema";
import type { PlannedStatement, StatementPolicy, TouchedData } from "../governance/index.js";

/** What a migration of a data source does. */
export interface MigrationToDecide {
  readonly database: string;
  /** What it changes and reads; computed only if policies depend on it. */
  readonly effects: () => readonly MigrationEffect[];
}

/**
 * A migration as the statement that policies are asked about: a change of its data source's schema, and of each
 * of its tables, as the statement of a step would make it, and as a reading of what its definitions name.
 */
export async function migrationStatement(
  policy: Pick<StatementPolicy, "looksAtData">,
  caller: Caller,
  { database: dataSource, effects }: MigrationToDecide,
): Promise<PlannedStatement> {
  const whole = { dataSource, intent: "admin", kinds: ["admin"] } as const;
  if (!(await policy.looksAtData(caller, whole.kinds))) return whole;
  const runs = effects().map((effect) => ({ ...whole, touched: touchedBy(effect) }));
  return { ...whole, runs };
}

function touchedBy(effect: MigrationEffect): TouchedData {
  if (effect.kind === "call") return { tables: [], functions: [effect.name] };
  const { name, columns } = effect;
  const accesses =
    effect.kind === "read"
      ? { read: columns }
      : { define: columns, ...(effect.losesRows ? { delete: [] } : {}) };
  return { tables: [{ name, accesses, columns }], functions: [] };
}
