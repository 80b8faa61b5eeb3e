import { billing } from "@steward/operations";
import type {
  Billing,
  Budget,
  DailyUsage,
  HeatMapRow,
  Ingestion,
  NewBudget,
  NewPrice,
  OrganizationsPage,
  OrganizationsQuery,
  Price,
  Repricing,
  StorageUsage,
  UsageEvent,
  UsageQuery,
} from "../billing.js";
import type { Ask } from "./operation-calls.js";

/** Usage, prices and budgets over any wire. */
export class BillingCalls implements Billing {
  readonly #ask: Ask;
  /** Reports usage, which each wire does in its own way. */
  readonly report: (events: readonly UsageEvent[]) => Promise<Ingestion>;

  constructor(ask: Ask, report: Billing["report"]) {
    this.#ask = ask;
    this.report = report;
  }

  usage(query: UsageQuery = {}): Promise<readonly DailyUsage[]> {
    return this.#ask(billing.getUsage, query);
  }

  organizations(query: OrganizationsQuery): Promise<OrganizationsPage> {
    return this.#ask(billing.getOrganizationUsage, query);
  }

  heatMap(): Promise<readonly HeatMapRow[]> {
    return this.#ask(billing.getUsageHeatMap);
  }

  async storage(): Promise<StorageUsage> {
    // Until the server has measured, all members are absent; the scenario waits for that.
    return (await this.#ask(billing.getStorageUsage)) as StorageUsage;
  }

  verify(repair = false): Promise<readonly unknown[]> {
    return this.#ask(billing.verifyUsage, { repair });
  }

  prices(orgId?: string): Promise<readonly Price[]> {
    return this.#ask(billing.listPrices, orgId === undefined ? {} : { org_id: orgId });
  }

  setPrice(price: NewPrice): Promise<Price> {
    return this.#ask(billing.setPrice, price);
  }

  reprice(from: string, until: string): Promise<Repricing> {
    return this.#ask(billing.repriceUsage, { from, until });
  }

  budgets(): Promise<readonly Budget[]> {
    return this.#ask(billing.listBudgets);
  }

  setBudget(budget: NewBudget): Promise<Budget> {
    return this.#ask(billing.setBudget, budget);
  }

  async removeBudget(budgetId: string): Promise<void> {
    await this.#ask(billing.removeBudget, { budget_id: budgetId });
  }
}
