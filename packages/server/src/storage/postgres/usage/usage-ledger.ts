import { postingOfCorrection, rollupsOf } from "../../../usage/index.js";
import type {
  Correction,
  CostedRow,
  Price,
  Rollups,
  RowRange,
  UsageLedger,
} from "../../../usage/ports.js";
import { PRICE, pricesOf } from "../../cold/price-book.js";
import type { Connection } from "../database.js";
import { rowsOn } from "../sql-store.js";
import {
  COSTED_ROW_COLUMNS,
  costedRowOf,
  TIME_ROLLUP_COLUMNS,
  timeRollupOf,
  type CostedUsageRow,
  type TimeRollupRow,
} from "./usage-rows.js";
import { heatMapOf } from "./usage-reports.js";
import { addToTotals, insertAdjustments, replaceTotals } from "./usage-writes.js";

/** Usage rows and totals over one connection. */
export class PostgresUsageLedger implements UsageLedger {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async rowsBetween(orgId: string, range: RowRange, limit: number): Promise<readonly CostedRow[]> {
    const { fromMs, untilMs, after } = range;
    const rows = await this.#connection.query<CostedUsageRow>(
      `SELECT ${COSTED_ROW_COLUMNS} FROM usage_events AS e
       WHERE e.org_id = $1 AND e.occurred_at_ms < $2
         AND ${after === undefined ? "e.occurred_at_ms >= $4" : "(e.occurred_at_ms, e.id) > ($4, $5)"}
       ORDER BY e.occurred_at_ms, e.id LIMIT $3`,
      [orgId, untilMs, limit, ...(after === undefined ? [fromMs] : [after.occurredAtMs, after.id])],
    );
    return rows.map(costedRowOf);
  }

  async storedTotals(orgId: string): Promise<Rollups> {
    const byTime = await this.#connection.query<TimeRollupRow>(
      `SELECT ${TIME_ROLLUP_COLUMNS} FROM usage_totals WHERE org_id = $1
       ORDER BY dimension, grain, bucket_ms, key`,
      [orgId],
    );
    return {
      byTime: byTime.map(timeRollupOf),
      heatMap: await heatMapOf(this.#connection, orgId),
    };
  }

  replaceTotals(totals: Rollups): Promise<void> {
    return replaceTotals(this.#connection, totals);
  }

  prices(orgId: string): Promise<readonly Price[]> {
    return rowsOn(this.#connection, pricesOf(orgId), PRICE);
  }

  async correct(orgId: string, corrections: readonly Correction[]): Promise<void> {
    await insertAdjustments(this.#connection, orgId, corrections);
    await addToTotals(this.#connection, rollupsOf(corrections.map(postingOfCorrection)));
  }
}

/**
 * Locks an organization's ledger until the transaction ends. Many callers may record (`SHARE`) at
 * the same time; only one may change prices or costs (`UPDATE`), and it then reads the final rows.
 */
export async function lockLedger(
  connection: Connection,
  orgId: string,
  mode: "SHARE" | "UPDATE",
): Promise<void> {
  const lock = `SELECT FROM usage_ledgers WHERE org_id = $1 FOR ${mode}`;
  while ((await connection.query(lock, [orgId])).length === 0) {
    await connection.query(
      "INSERT INTO usage_ledgers (org_id) VALUES ($1) ON CONFLICT DO NOTHING",
      [orgId],
    );
  }
}
