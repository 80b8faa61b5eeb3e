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
import type { CommitWriter } from "../commit-writer.js";
import { readAll, type StoreReads } from "../reads/store-reads.js";
import { rowsOf } from "../sql-store.js";
import {
  COSTED_ROW_COLUMNS,
  costedRowOf,
  TIME_ROLLUP_COLUMNS,
  timeRollupOf,
} from "./usage-rows.js";
import { readHeatMap } from "./usage-reports.js";
import { addToTotals, replaceTotals, writeAdjustments } from "./usage-writes.js";

/** Usage rows and totals in SQLite. */
export class SqliteUsageLedger implements UsageLedger {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  rowsBetween(orgId: string, range: RowRange, limit: number): Promise<readonly CostedRow[]> {
    const { fromMs, untilMs, after = { occurredAtMs: fromMs, id: "" } } = range;
    return readAll(
      this.#db,
      orgId,
      costedRowOf,
      `SELECT ${COSTED_ROW_COLUMNS} FROM usage_events AS e
       WHERE e.org_id = ?1 AND (e.occurred_at_ms, e.id) > (?2, ?3) AND e.occurred_at_ms < ?4
       ORDER BY e.occurred_at_ms, e.id LIMIT ?5`,
      orgId,
      after.occurredAtMs,
      after.id,
      untilMs,
      BigInt(limit),
    );
  }

  async storedTotals(orgId: string): Promise<Rollups> {
    const byTime = await readAll(
      this.#db,
      orgId,
      timeRollupOf,
      `SELECT ${TIME_ROLLUP_COLUMNS} FROM usage_totals WHERE org_id = ?`,
      orgId,
    );
    return { byTime, heatMap: await readHeatMap(this.#db, orgId) };
  }

  replaceTotals(totals: Rollups): Promise<void> {
    return this.#writer.commit(replaceTotals(totals));
  }

  prices(orgId: string): Promise<readonly Price[]> {
    return rowsOf(this.#db, orgId, pricesOf(orgId), PRICE);
  }

  correct(_orgId: string, corrections: readonly Correction[]): Promise<void> {
    const totals = addToTotals(rollupsOf(corrections.map(postingOfCorrection)));
    return this.#writer.commit([writeAdjustments(corrections), ...totals]);
  }
}
