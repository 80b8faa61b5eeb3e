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
import type { Connection, Database } from "../database.js";
import { settled } from "../settled.js";
import { PostgresUsageLedger, withLockedLedger } from "./usage-ledger.js";
import { PRICE_COLUMNS, priceOf, type PriceRow } from "./usage-rows.js";
import { addToTotals, insertAdjustments, insertPrice } from "./usage-writes.js";
import type { RecordedOperation } from "../../../kernel/recorded-operation.js";

/** Prices in PostgreSQL, and the corrections that follow from a changed price. */
export class PostgresPriceBook implements PriceBook {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  list(orgId: string): Promise<readonly Price[]> {
    return pricesOf(this.#db, orgId);
  }

  change(
    orgId: string,
    change: (prices: readonly Price[]) => PriceChange,
    operation?: RecordedOperation,
  ): Promise<PriceChange> {
    let changed: PriceChange | undefined;
    const write = (): Promise<PriceChange> =>
      withLockedLedger(
        this.#db,
        orgId,
        async (connection) => {
          changed = change(await pricesOf(connection, orgId));
          await insertPrice(connection, orgId, changed);
          return changed;
        },
        operation,
      );
    return settled(write, async () => {
      const prices = await pricesOf(this.#db, orgId);
      return prices.some(({ id }) => id === changed?.added.id) ? changed : undefined;
    });
  }

  correctRows(
    orgId: string,
    { range, limit }: { readonly range: RowRange; readonly limit: number },
    correct: (rows: readonly CostedRow[], prices: readonly Price[]) => readonly Correction[],
  ): Promise<CorrectedRows> {
    return withLockedLedger(this.#db, orgId, async (connection) => {
      const rows = await new PostgresUsageLedger(connection).rowsBetween(orgId, range, limit);
      const corrections = correct(rows, await pricesOf(connection, orgId));
      const postings = corrections.map(({ adjustment, event }) =>
        postingOfAdjustment(adjustment, event),
      );
      if (corrections.length > 0) await insertAdjustments(connection, orgId, corrections);
      await addToTotals(connection, rollupsOf(postings));
      return { rows, corrections };
    });
  }
}

/** Every price of an organization. */
export async function pricesOf(connection: Connection, orgId: string): Promise<readonly Price[]> {
  const rows = await connection.query<PriceRow>(
    `SELECT ${PRICE_COLUMNS} FROM usage_prices WHERE org_id = $1 ORDER BY scope, subject, from_ms`,
    [orgId],
  );
  return rows.map(priceOf);
}
