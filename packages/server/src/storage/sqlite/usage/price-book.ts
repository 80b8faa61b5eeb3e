import { postingOfAdjustment, rollupsOf } from "../../../usage/index.js";
import type {
  CorrectedRows,
  Correction,
  CostedRow,
  Price,
  PriceBook,
  PriceChange,
  RowRange,
} from "../../../usage/ports.js";
import type { CommitWriter } from "../commit-writer.js";
import { readAll, type StoreReads } from "../reads/store-reads.js";
import type { SqliteUsageLedger } from "./usage-ledger.js";
import { PRICE_COLUMNS, priceOf } from "./usage-rows.js";
import { addToTotals, writeAdjustments, writePrice } from "./usage-writes.js";
import type { RecordedOperation } from "../../../kernel/recorded-operation.js";

/** Prices in SQLite, and the corrections that follow from a changed price. */
export class SqlitePriceBook implements PriceBook {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #ledger: SqliteUsageLedger;

  constructor(writer: CommitWriter, db: StoreReads, ledger: SqliteUsageLedger) {
    this.#writer = writer;
    this.#db = db;
    this.#ledger = ledger;
  }

  list(orgId: string): Promise<readonly Price[]> {
    return readPrices(this.#db, orgId);
  }

  async change(
    orgId: string,
    change: (prices: readonly Price[]) => PriceChange,
    operation?: RecordedOperation,
  ): Promise<PriceChange> {
    const changed = change(await this.list(orgId));
    await this.#writer.commitEffect(writePrice(orgId, changed), operation);
    return changed;
  }

  async correctRows(
    orgId: string,
    { range, limit }: { readonly range: RowRange; readonly limit: number },
    correct: (rows: readonly CostedRow[], prices: readonly Price[]) => readonly Correction[],
  ): Promise<CorrectedRows> {
    const rows = await this.#ledger.rowsBetween(orgId, range, limit);
    const corrections = correct(rows, await this.list(orgId));
    if (corrections.length > 0) {
      const postings = corrections.map(({ adjustment, event }) =>
        postingOfAdjustment(adjustment, event),
      );
      const totals = addToTotals(rollupsOf(postings));
      await this.#writer.commit([writeAdjustments(corrections), ...totals]);
    }
    return { rows, corrections };
  }
}

/** All prices of an organization, by scope, subject and period. */
export function readPrices(db: Pick<StoreReads, "all">, orgId: string): Promise<readonly Price[]> {
  return readAll(
    db,
    orgId,
    priceOf,
    `SELECT ${PRICE_COLUMNS} FROM usage_prices WHERE org_id = ? ORDER BY scope, subject, from_ms`,
    orgId,
  );
}
