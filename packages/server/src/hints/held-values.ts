import type { CatalogRows } from "../catalog/ports.js";
import type { AdvisedStatement } from "../plans/ports.js";
import type { Clock } from "@steward/kernel/clock.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import {
  HINT_ANSWERS_MAX,
  HINT_ANSWERS_MS,
  HINT_READ_MS,
  HINT_ROWS_READ_MAX,
  HINT_VALUES_MAX,
} from "./limits.js";
import { quoted, quotedTable } from "./visible-names.js";
import type { ComparedText } from "./warnings/unheld-literal.js";

interface Held {
  /** Undefined when the column has many values, or cannot be read. */
  readonly values: readonly string[] | undefined;
  readonly atMs: number;
}

/**
 * The values of columns with few of them, read as the caller and kept for a short time for callers
 * of the organization, whose statements have read the column too.
 */
export class HeldValues {
  readonly #rows: CatalogRows;
  readonly #clock: Clock;
  readonly #held = new RecentMap<Held>(HINT_ANSWERS_MAX);

  constructor(rows: CatalogRows, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /** Undefined when the column has many values, or cannot be read now. */
  async of(
    { caller, dataSource }: AdvisedStatement,
    { table, column }: Pick<ComparedText, "table" | "column">,
  ): Promise<readonly string[] | undefined> {
    const key = JSON.stringify([caller.orgId, dataSource, table.name, column]);
    const known = this.#held.get(key);
    const now = this.#clock.nowMs();
    if (known !== undefined && now - known.atMs < HINT_ANSWERS_MS) return known.values;
    const some = `SELECT ${quoted(column)} AS "value" FROM ${quotedTable(table)} LIMIT ${String(HINT_ROWS_READ_MAX)}`;
    const sql = `SELECT DISTINCT "value" FROM (${some}) AS "some" WHERE "value" IS NOT NULL LIMIT ${String(HINT_VALUES_MAX + 1)}`;
    const rows = await this.#rows.read(caller, dataSource, sql, AbortSignal.timeout(HINT_READ_MS));
    const read = rows?.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
    const values = read === undefined || read.length > HINT_VALUES_MAX ? undefined : read.sort();
    this.#held.set(key, { values, atMs: now });
    return values;
  }
}
