import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import type { Price, PriceBook, PriceChange } from "../../usage/ports.js";
import { amount, integer, optional, rowType, text, type Readable } from "./row-type.js";
import { sql, typed, type Sql } from "./sql.js";
import { locking, one, type SqlStore } from "./sql-store.js";

/** A row of `usage_prices`. */
interface StoredPrice extends Omit<Price, "amount"> {
  readonly amountNanodollars: bigint;
}

const ROW = rowType<StoredPrice>({
  id: text(),
  scope: text<Price["scope"]>(),
  subject: text(),
  fromMs: integer,
  untilMs: optional(integer),
  amountNanodollars: amount,
});

/** A row of {@link pricesOf}. */
export const PRICE: Readable<Price> = {
  read: (row) => {
    const { amountNanodollars, ...rest } = ROW.read(row);
    return { ...rest, amount: amountNanodollars };
  },
};

/** The prices of organizations. */
export class SqlPriceBook implements PriceBook {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  list(orgId: string): Promise<readonly Price[]> {
    return this.#db.rows(orgId, pricesOf(orgId), PRICE);
  }

  /** Begins anew when the prices have changed since they were read: their number grows with each change. */
  async change(
    orgId: string,
    change: (prices: readonly Price[]) => PriceChange,
    operation?: RecordedOperation,
  ): Promise<PriceChange> {
    const prices = await this.list(orgId);
    const changed = change(prices);
    const { added, ended } = changed;
    const { amount: amountNanodollars, ...rest } = added;
    const insert = sql`INSERT INTO usage_prices (org_id, ${ROW.columns})
      SELECT ${typed(orgId, "uuid")}, ${ROW.values({ ...rest, amountNanodollars })}
      WHERE ${prices.length} = (SELECT count(*) FROM usage_prices WHERE org_id = ${orgId})`;
    const isOurs = async (): Promise<boolean> =>
      (await this.list(orgId)).some(({ id }) => id === added.id);
    const isChanged = await this.#db.write(
      [
        ...locking("usage_ledgers", orgId),
        one(insert),
        ...(ended === undefined ? [] : [one(endOf(orgId, ended))]),
      ],
      { operation, isOurs },
    );
    return isChanged ? changed : this.change(orgId, change, operation);
  }
}

/** All prices of an organization, by scope, subject and period. */
export function pricesOf(orgId: string): Sql {
  return sql`SELECT ${ROW.selected} FROM usage_prices
    WHERE org_id = ${orgId} ORDER BY scope, subject, from_ms`;
}

function endOf(orgId: string, { scope, subject, fromMs, untilMs }: Price): Sql {
  return sql`UPDATE usage_prices SET until_ms = ${untilMs}
    WHERE org_id = ${orgId} AND scope = ${scope} AND subject = ${subject} AND from_ms = ${fromMs}`;
}
