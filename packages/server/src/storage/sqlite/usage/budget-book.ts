import type { Budget, BudgetBook } from "../../../usage/ports.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { readAll, type StoreReads } from "../reads/store-reads.js";
import { BUDGET_COLUMNS, budgetOf } from "./usage-rows.js";
import { deleteBudget, writeBudget } from "./usage-writes.js";

/** Budgets in SQLite. */
export class SqliteBudgetBook implements BudgetBook {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  list(orgId: string): Promise<readonly Budget[]> {
    return readAll(
      this.#db,
      orgId,
      budgetOf,
      `SELECT ${BUDGET_COLUMNS} FROM usage_budgets
       WHERE org_id = ? ORDER BY scope, unit, period, action, set_by`,
      orgId,
    );
  }

  save(orgId: string, budget: Budget): Promise<void> {
    return this.#writer.commitEffect([writeBudget(orgId, budget)]);
  }

  async delete(orgId: string, budgetId: string): Promise<boolean> {
    try {
      await this.#writer.commitEffect([deleteBudget(orgId, budgetId)]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }
}
