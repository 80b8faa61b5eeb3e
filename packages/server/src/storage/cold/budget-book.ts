import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import type { Budget, BudgetBook } from "../../usage/ports.js";
import { amount, rowType, text, type Readable } from "./row-type.js";
import { raw, sql, type Sql } from "./sql.js";
import { always, one, type SqlStore } from "./sql-store.js";

/** A row of `usage_budgets`. */
interface StoredBudget extends Omit<Budget, "limit"> {
  readonly limitAmount: bigint;
}

const ROW = rowType<StoredBudget>({
  id: text(),
  scope: text<Budget["scope"]>(),
  unit: text<Budget["unit"]>(),
  period: text<Budget["period"]>(),
  action: text<Budget["action"]>(),
  setBy: text<Budget["setBy"]>(),
  limitAmount: amount,
});

/** A row of {@link budgetsOf}. */
export const BUDGET: Readable<Budget> = {
  read: (row) => {
    const { limitAmount, ...rest } = ROW.read(row);
    return { ...rest, limit: limitAmount };
  },
};

/** The budgets of organizations. */
export class SqlBudgetBook implements BudgetBook {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  list(orgId: string): Promise<readonly Budget[]> {
    return this.#db.rows(orgId, budgetsOf(orgId), BUDGET);
  }

  async save(orgId: string, budget: Budget, operation?: RecordedOperation): Promise<void> {
    const { limit: limitAmount, ...rest } = budget;
    await this.#db.write(
      [
        sql`INSERT INTO usage_budgets (org_id, ${ROW.columns})
          VALUES (${orgId}, ${ROW.values({ ...rest, limitAmount })})
          ON CONFLICT (org_id, scope, unit, period, action, set_by)
            DO UPDATE SET limit_amount = excluded.limit_amount, id = excluded.id`,
      ],
      { operation, isOurs: always },
    );
  }

  delete(orgId: string, budgetId: string, operation?: RecordedOperation): Promise<boolean> {
    const remove = one(sql`DELETE FROM usage_budgets WHERE org_id = ${orgId} AND id = ${budgetId}`);
    return this.#db.write([remove], { operation, isOurs: always });
  }
}

/** The budgets of an organization. @param lock what follows the query, such as a lock. */
export function budgetsOf(orgId: string, lock: Sql = raw("")): Sql {
  return sql`SELECT ${ROW.selected} FROM usage_budgets
    WHERE org_id = ${orgId} ORDER BY scope, unit, period, action, set_by ${lock}`;
}
