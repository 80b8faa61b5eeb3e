import { quoted } from "../kernel/written-name.js";
import type { CatalogRows } from "../catalog/ports.js";
import type { AdvisedStatement } from "../plans/ports.js";
import type { Clock } from "@steward/kernel/clock.js";
import { HINT_READ_MS, HINT_ROWS_READ_MAX, HINT_VALUES_MAX } from "./limits.js";
import { RecentAnswers } from "./recent-answers.js";
import { quotedTable } from "./visible-names.js";
import type { OrderedText, ReadValues } from "./warnings/silent/ordered-text.js";
import type { ComparedText } from "./warnings/unheld-literal.js";

/**
 * The values of columns with few of them, read as the caller and cached for a short time for callers
 * of the organization, whose statements have read the column too.
 */
export class HeldValues {
  readonly #rows: CatalogRows;
  readonly #held: RecentAnswers<readonly string[] | undefined>;
  readonly #ranges: RecentAnswers<ReadValues | undefined>;

  constructor(rows: CatalogRows, clock: Clock) {
    this.#rows = rows;
    this.#held = new RecentAnswers(clock);
    this.#ranges = new RecentAnswers(clock);
  }

  /** Undefined when the column has many values, or cannot be read now. */
  of(
    { caller, dataSource }: AdvisedStatement,
    { table, column }: Pick<ComparedText, "table" | "column">,
  ): Promise<readonly string[] | undefined> {
    const key = JSON.stringify([caller.orgId, dataSource, table.name, column]);
    return this.#held.getOrAsk(key, async () => {
      const some = `SELECT ${quoted(column)} AS "value" FROM ${quotedTable(table)} LIMIT ${String(HINT_ROWS_READ_MAX)}`;
      const sql = `SELECT DISTINCT "value" FROM (${some}) AS "some" WHERE "value" IS NOT NULL LIMIT ${String(HINT_VALUES_MAX + 1)}`;
      const rows = await this.#rows.read(
        caller,
        dataSource,
        sql,
        AbortSignal.timeout(HINT_READ_MS),
      );
      const read = rows?.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
      return read === undefined || read.length > HINT_VALUES_MAX ? undefined : read.sort();
    });
  }

  /** The ends of the order of an expression's values, with some values. Undefined when they cannot be read now. */
  range(
    { caller, dataSource }: AdvisedStatement,
    { table, expression }: Pick<OrderedText, "table" | "expression">,
  ): Promise<ReadValues | undefined> {
    const key = JSON.stringify([caller.orgId, dataSource, table.name, expression]);
    return this.#ranges.getOrAsk(key, async () => {
      const some = `SELECT ${expression} AS "value" FROM ${quotedTable(table)} LIMIT ${String(HINT_ROWS_READ_MAX)}`;
      const sql = `WITH "some" AS (${some}) SELECT "value", 0 AS "place" FROM (SELECT DISTINCT "value" FROM "some" WHERE "value" IS NOT NULL LIMIT ${String(HINT_VALUES_MAX)}) AS "few" UNION ALL SELECT min("value"), 1 FROM "some" UNION ALL SELECT max("value"), 2 FROM "some"`;
      const signal = AbortSignal.timeout(HINT_READ_MS);
      const rows = await this.#rows.read(caller, dataSource, sql, signal);
      if (rows === undefined) return undefined;
      const at = (place: number): readonly unknown[] =>
        rows.filter((row) => Number(row["place"]) === place).map(({ value }) => value);
      return { low: at(1)[0], high: at(2)[0], some: at(0) };
    });
  }
}
