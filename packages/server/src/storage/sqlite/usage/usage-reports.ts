import { NO_USAGE } from "../../../usage/index.js";
import type {
  BudgetWindow,
  DayRange,
  GroupTotals,
  HeatCell,
  OrganizationPage,
  OrganizationTotals,
  RollupDimension,
  TotalsWindow,
  UsageReports,
  UsageTotals,
} from "../../../usage/ports.js";
import { unpackedTotals } from "../../packed-totals.js";
import { number, text } from "../column-values.js";
import { read } from "../connection.js";
import { IS_IN_TIME } from "../reads/read-calls.js";
import { readAll, SYSTEM, type StoreReads } from "../reads/store-reads.js";
import {
  HEAT_CELL_COLUMNS,
  heatCellOf,
  organizationTotalsOf,
  SUMMED_TOTALS,
  totalsOf,
} from "./usage-rows.js";

/** Reports from the totals in SQLite. */
export class SqliteUsageReports implements UsageReports {
  readonly #db: StoreReads;

  constructor(db: StoreReads) {
    this.#db = db;
  }

  days(orgId: string, { fromMs, untilMs }: DayRange): Promise<readonly number[]> {
    return readAll(
      this.#db,
      orgId,
      (row) => number(row["bucket_ms"]),
      `SELECT bucket_ms FROM usage_totals
       WHERE org_id = ? AND dimension = 'total' AND grain = 'day'
         AND bucket_ms >= ? AND bucket_ms < ?
       ORDER BY bucket_ms`,
      orgId,
      fromMs,
      untilMs,
    );
  }

  totals(
    orgId: string,
    dimension: RollupDimension,
    windows: readonly TotalsWindow[],
  ): Promise<readonly (readonly GroupTotals[])[]> {
    return readAll(
      this.#db,
      orgId,
      (row) => unpackedTotals(text(row["totals"])),
      `SELECT (SELECT json_array(json_group_array(key), json_group_array(action_count),
            json_group_array(total_aau), json_group_array(CAST(total_nanodollars AS TEXT)))
          FROM usage_totals
          WHERE org_id = ?1 AND dimension = ?2 AND grain = w.value ->> 0
            AND bucket_ms >= w.value ->> 1 AND bucket_ms < w.value ->> 2) AS totals
       FROM json_each(?3) AS w WHERE ${IS_IN_TIME} ORDER BY w.key`,
      orgId,
      dimension,
      JSON.stringify(windows.map(({ grain, fromMs, untilMs }) => [grain, fromMs, untilMs])),
    );
  }

  heatMap(orgId: string): Promise<readonly HeatCell[]> {
    return readHeatMap(this.#db, orgId);
  }

  organizationTotals(page: OrganizationPage): Promise<readonly OrganizationTotals[]> {
    return readAll(
      this.#db,
      SYSTEM,
      organizationTotalsOf,
      `SELECT org_id, ${SUMMED_TOTALS} FROM usage_totals
       WHERE dimension = 'total' AND grain = 'day'
         AND org_id > ? AND bucket_ms >= ? AND bucket_ms < ?
       GROUP BY org_id ORDER BY org_id LIMIT ?`,
      page.after ?? "",
      page.fromMs,
      page.untilMs,
      BigInt(page.limit),
    );
  }

  detailFromMs(orgId: string): Promise<number> {
    return read(() => {
      const sql = "SELECT from_ms FROM usage_detail_starts WHERE org_id = ?";
      return number(this.#db.get(sql, orgId)?.["from_ms"] ?? 0);
    });
  }

  async totalsIn(orgId: string, window: BudgetWindow): Promise<UsageTotals> {
    const { sessionId, fromMs, untilMs } = window;
    // The dimension stands in the text so that the index of sessions can be used.
    const [totals] = await readAll(
      this.#db,
      orgId,
      totalsOf,
      `SELECT ${SUMMED_TOTALS} FROM usage_totals
       WHERE org_id = ? AND dimension = '${sessionId === undefined ? "total" : "session"}'
         AND grain = 'day' AND key = ? AND bucket_ms >= ? AND bucket_ms < ?`,
      orgId,
      sessionId ?? "",
      fromMs,
      untilMs ?? Number.MAX_SAFE_INTEGER,
    );
    return totals ?? NO_USAGE;
  }
}

/** All cells of the organization's heat map, by model and intent. */
export function readHeatMap(db: StoreReads, orgId: string): Promise<readonly HeatCell[]> {
  return readAll(
    db,
    orgId,
    heatCellOf,
    `SELECT ${HEAT_CELL_COLUMNS} FROM usage_heat_map
     WHERE org_id = ? ORDER BY orm_model, intent, aau_weight`,
    orgId,
  );
}
