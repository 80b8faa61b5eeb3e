import type { CatalogRows } from "../catalog/ports.js";
import type { AdvisedStatement } from "../plans/ports.js";
import type { Clock } from "@steward/kernel/clock.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { Relation } from "@steward/schema";
import type { NamedPart } from "./correction.js";
import { HINT_ANSWERS_MAX, HINT_ANSWERS_MS, HINT_READ_MS } from "./limits.js";

interface Answer {
  readonly isVisible: boolean;
  readonly atMs: number;
}

/**
 * Tells whether a caller may read the names of a hint: whether a SELECT of them would run, under the
 * caller's policies and, on PostgreSQL, the privileges of the role.
 */
export class VisibleNames {
  readonly #rows: CatalogRows;
  readonly #clock: Clock;
  readonly #answers = new RecentMap<Answer>(HINT_ANSWERS_MAX);

  constructor(rows: CatalogRows, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  async areVisible(asked: AdvisedStatement, names: readonly NamedPart[]): Promise<boolean> {
    for (const part of names) if (!(await this.isVisible(asked, part))) return false;
    return true;
  }

  async isVisible(asked: AdvisedStatement, { table, columns }: NamedPart): Promise<boolean> {
    const { caller, dataSource, dialect, looksAtData } = asked;
    // Without policies on data, everybody may read a SQLite database as a whole.
    if (dialect === "sqlite" && !looksAtData) return true;
    const key = JSON.stringify([caller.orgId, dataSource, table.name, columns]);
    const known = looksAtData ? undefined : this.#answers.get(key);
    const now = this.#clock.nowMs();
    if (known !== undefined && now - known.atMs < HINT_ANSWERS_MS) return known.isVisible;
    const sql = `SELECT ${columns.map(quoted).join(", ")} FROM ${quotedTable(table)} LIMIT 0`;
    const rows = await this.#rows.read(caller, dataSource, sql, AbortSignal.timeout(HINT_READ_MS));
    const isVisible = rows !== undefined;
    // Policies may change at any time, and differ from caller to caller.
    if (!looksAtData) this.#answers.set(key, { isVisible, atMs: now });
    return isVisible;
  }
}

/** A table as any statement can name it. */
export function quotedTable({ schemaName, bareName }: Relation): string {
  return [...(schemaName === undefined ? [] : [schemaName]), bareName].map(quoted).join(".");
}

/** A name as SQL writes it, whatever it contains. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
