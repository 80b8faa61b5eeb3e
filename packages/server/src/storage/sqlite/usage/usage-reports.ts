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
import { number } from "../column-values.js";
import { read } from "../connection.js";
import { readAll, SYSTEM, type StoreReads } from "../reads/store-reads.js";
import {
  BUCKET_COLUMNS,
  bucketOf,
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

  buckets(orgId: string, range: BucketRange): Promise<readonly Bucket[]> {
    return readAll(
      this.#db,
      orgId,
      bucketOf,
      `SELECT ${BUCKET_COLUMNS} FROM usage_totals
       WHERE org_id = ? AND dimension = ? AND grain = ? AND bucket_ms >= ? AND bucket_ms < ?
       ORDER BY bucket_ms, key`,
      orgId,
      range.dimension,
      range.grain,
      range.fromMs,
      range.untilMs,
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
