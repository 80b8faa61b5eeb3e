import { quoted } from "../kernel/written-name.js";
import type { CatalogRows } from "../catalog/ports.js";
import type { AdvisedStatement } from "../plans/ports.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { Relation } from "@steward/schema";
import type { NamedPart } from "./correction.js";
import { HINT_READ_MS } from "./limits.js";
import { RecentAnswers } from "./recent-answers.js";

/**
 * Tells whether a caller may read the names of a hint: whether a SELECT of them would run, under the
 * caller's policies and, on PostgreSQL, the privileges of the role.
 */
export class VisibleNames {
  readonly #rows: CatalogRows;
  readonly #answers: RecentAnswers<boolean>;

  constructor(rows: CatalogRows, clock: Clock) {
    this.#rows = rows;
    this.#answers = new RecentAnswers(clock);
  }

  async areVisible(asked: AdvisedStatement, names: readonly NamedPart[]): Promise<boolean> {
    for (const part of names) if (!(await this.isVisible(asked, part))) return false;
    return true;
  }

  async isVisible(asked: AdvisedStatement, { table, columns }: NamedPart): Promise<boolean> {
    const { caller, dataSource, dialect, looksAtData } = asked;
    const runs = async (sql: string): Promise<boolean> => {
      const read = this.#rows.read(caller, dataSource, sql, AbortSignal.timeout(HINT_READ_MS));
      return (await read) !== undefined;
    };
    const ask = (): Promise<boolean> =>
      runs(`SELECT ${columns.map(quoted).join(", ")} FROM ${quotedTable(table)} LIMIT 0`);
    // Policies may change at any time, and differ from caller to caller.
    if (looksAtData) return ask();
    // Who may write may not be allowed to read. Whoever may, may read a SQLite database as a whole.
    if (!(await runs("SELECT 1 AS one"))) return false;
    if (dialect === "sqlite") return true;
    const key = JSON.stringify([caller.orgId, dataSource, table.name, columns]);
    return this.#answers.getOrAsk(key, ask);
  }
}

/** A table as any statement can name it. */
export function quotedTable({ schemaName, bareName }: Relation): string {
  return [...(schemaName === undefined ? [] : [schemaName]), bareName].map(quoted).join(".");
}
