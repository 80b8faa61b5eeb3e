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
import type { Connection, Database } from "../database.js";
import {
  HEAT_CELL_COLUMNS,
  heatCellOf,
  organizationTotalsOf,
  SUMMED_TOTALS,
  totalsOf,
  type HeatCellRow,
  type TotalsRow,
} from "./usage-rows.js";

/** Reports from the totals in PostgreSQL. */
export class PostgresUsageReports implements UsageReports {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async days(orgId: string, { fromMs, untilMs }: DayRange): Promise<readonly number[]> {
    const rows = await this.#db.query<{ readonly bucket_ms: number }>(
      `SELECT bucket_ms FROM usage_totals
       WHERE org_id = $1 AND dimension = 'total' AND grain = 'day'
         AND bucket_ms >= $2 AND bucket_ms < $3
       ORDER BY bucket_ms`,
      [orgId, fromMs, untilMs],
    );
    return rows.map((row) => row.bucket_ms);
  }

  async totals(
    orgId: string,
    dimension: RollupDimension,
    windows: readonly TotalsWindow[],
  ): Promise<readonly (readonly GroupTotals[])[]> {
    const rows = await this.#db.query<{ readonly totals: string }>(
      `SELECT t.totals
       FROM unnest($3::text[], $4::bigint[], $5::bigint[]) WITH ORDINALITY
         AS w (grain, from_ms, until_ms, place)
       CROSS JOIN LATERAL (
         SELECT json_build_array(coalesce(json_agg(key), '[]'), coalesce(json_agg(action_count), '[]'),
           coalesce(json_agg(total_aau), '[]'),
           coalesce(json_agg(total_nanodollars::text), '[]'))::text AS totals
         FROM usage_totals
         WHERE org_id = $1 AND dimension = $2 AND grain = w.grain
           AND bucket_ms >= w.from_ms AND bucket_ms < w.until_ms) AS t
       ORDER BY w.place`,
      [
        orgId,
        dimension,
        windows.map(({ grain }) => grain),
        windows.map(({ fromMs }) => fromMs),
        windows.map(({ untilMs }) => untilMs),
      ],
    );
    return rows.map(({ totals }) => unpackedTotals(totals));
  }

  heatMap(orgId: string): Promise<readonly HeatCell[]> {
    return heatMapOf(this.#db, orgId);
  }

  async organizationTotals(page: OrganizationPage): Promise<readonly OrganizationTotals[]> {
    const rows = await this.#db.query<TotalsRow & { readonly org_id: string }>(
      `SELECT org_id, ${SUMMED_TOTALS} FROM usage_totals
       WHERE dimension = 'total' AND grain = 'day' AND bucket_ms >= $1 AND bucket_ms < $2
         ${page.after === undefined ? "" : "AND org_id > $4"}
       GROUP BY org_id ORDER BY org_id LIMIT $3`,
      [page.fromMs, page.untilMs, page.limit, ...(page.after === undefined ? [] : [page.after])],
    );
    return rows.map(organizationTotalsOf);
  }

  async detailFromMs(orgId: string): Promise<number> {
    const [row] = await this.#db.query<{ readonly from_ms: number }>(
      "SELECT from_ms FROM usage_detail_starts WHERE org_id = $1",
      [orgId],
    );
    return row?.from_ms ?? 0;
  }

  async totalsIn(
    orgId: string,
    { sessionId, fromMs, untilMs }: BudgetWindow,
  ): Promise<UsageTotals> {
    // The dimension stands in the text so that the index of sessions can be used.
    const [row] = await this.#db.query<TotalsRow>(
      `SELECT ${SUMMED_TOTALS} FROM usage_totals
     WHERE org_id = $1 AND dimension = '${sessionId === undefined ? "total" : "session"}'
       AND grain = 'day' AND key = $2 AND bucket_ms >= $3 AND bucket_ms < $4`,
      [orgId, sessionId ?? "", fromMs, untilMs ?? Number.MAX_SAFE_INTEGER],
    );
    return row === undefined ? NO_USAGE : totalsOf(row);
  }
}

/** All cells of the organization's heat map, by model and intent. */
export async function heatMapOf(
  connection: Connection,
  orgId: string,
): Promise<readonly HeatCell[]> {
  const rows = await connection.query<HeatCellRow>(
    `SELECT ${HEAT_CELL_COLUMNS} FROM usage_heat_map
     WHERE org_id = $1 ORDER BY orm_model, intent, aau_weight`,
    [orgId],
  );
  return rows.map(heatCellOf);
}
