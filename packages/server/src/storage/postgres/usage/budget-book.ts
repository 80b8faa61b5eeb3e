import type { Budget, BudgetBook } from "../../../usage/ports.js";
import type { Connection, Database } from "../database.js";
import { settled } from "../settled.js";
import { BUDGET_COLUMNS, budgetOf, type BudgetRow } from "./usage-rows.js";

/** Budgets in PostgreSQL. */
export class PostgresBudgetBook implements BudgetBook {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  list(orgId: string): Promise<readonly Budget[]> {
    return budgetsOf(this.#db, orgId);
  }

  async save(orgId: string, budget: Budget): Promise<void> {
    const { scope, unit, period, action, setBy, limit, id } = budget;
    await settled(() =>
      this.#db.writeEffect(
        `INSERT INTO usage_budgets (org_id, scope, unit, period, action, set_by, limit_amount, id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (org_id, scope, unit, period, action, set_by)
           DO UPDATE SET limit_amount = excluded.limit_amount, id = excluded.id`,
        [orgId, scope, unit, period, action, setBy, limit, id],
      ),
    );
  }

  delete(orgId: string, budgetId: string): Promise<boolean> {
    return settled(async (isUnsure) => {
      const rows = await this.#db.writeEffect(
        `DELETE FROM usage_budgets WHERE org_id = $1 AND id = $2 RETURNING id`,
        [orgId, budgetId],
      );
      return rows.length > 0 || isUnsure;
    });
  }
}

/** The budgets of an organization. @param lock keeps others from deciding on them meanwhile. */
export async function budgetsOf(
  connection: Connection,
  orgId: string,
  lock = false,
): Promise<readonly Budget[]> {
  const rows = await connection.query<BudgetRow>(
    `SELECT ${BUDGET_COLUMNS} FROM usage_budgets
     WHERE org_id = $1 ORDER BY scope, unit, period, action, set_by ${lock ? "FOR UPDATE" : ""}`,
    [orgId],
  );
  return rows.map(budgetOf);
}
