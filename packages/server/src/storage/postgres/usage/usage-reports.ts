import { NO_USAGE } from "../../../usage/index.js";
import type {
  Bucket,
  BucketRange,
  BudgetWindow,
  HeatCell,
  OrganizationPage,
  OrganizationTotals,
  UsageReports,
  UsageTotals,
} from "../../../usage/ports.js";
import type { Connection, Database } from "../database.js";
import {
  BUCKET_COLUMNS,
  bucketOf,
  HEAT_CELL_COLUMNS,
  heatCellOf,
  organizationTotalsOf,
  SUMMED_TOTALS,
  totalsOf,
  type BucketRow,
  type HeatCellRow,
  type TotalsRow,
} from "./usage-rows.js";

/** Reports from the totals in PostgreSQL. */
export class PostgresUsageReports implements UsageReports {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async buckets(orgId: string, range: BucketRange): Promise<readonly Bucket[]> {
    const rows = await this.#db.query<BucketRow>(
      `SELECT ${BUCKET_COLUMNS} FROM usage_totals
       WHERE org_id = $1 AND dimension = $2 AND grain = $3 AND bucket_ms >= $4 AND bucket_ms < $5
       ORDER BY bucket_ms, key`,
      [orgId, range.dimension, range.grain, range.fromMs, range.untilMs],
    );
    return rows.map(bucketOf);
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
