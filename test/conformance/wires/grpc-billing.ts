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

/** Calls a method of the usage service. @throws Refusal. */
export type AskGrpc = <Answer>(method: string, request: object) => Promise<Answer>;

/** Usage, prices and budgets over gRPC. */
export class GrpcBilling implements Billing {
  readonly #ask: AskGrpc;

  constructor(ask: AskGrpc) {
    this.#ask = ask;
  }

  async usage(query: UsageQuery = {}): Promise<readonly DailyUsage[]> {
    return (await this.#ask<{ rows: DailyUsage[] }>("GetUsage", query)).rows;
  }

  async organizations(query: OrganizationsQuery): Promise<OrganizationsPage> {
    type Answer = Required<OrganizationsPage>;
    const { organizations, next_cursor } = await this.#ask<Answer>("GetOrganizationUsage", query);
    return next_cursor === "" ? { organizations } : { organizations, next_cursor };
  }

  async heatMap(): Promise<readonly HeatMapRow[]> {
    return (await this.#ask<{ rows: HeatMapRow[] }>("GetUsageHeatMap", {})).rows;
  }

  storage(): Promise<StorageUsage> {
    return this.#ask("GetStorageUsage", {});
  }

  report(events: readonly UsageEvent[]): Promise<Ingestion> {
    return this.#ask("ReportUsage", { events });
  }

  async verify(repair = false): Promise<readonly unknown[]> {
    return (await this.#ask<{ differences: unknown[] }>("VerifyUsage", { repair })).differences;
  }

  async prices(orgId = ""): Promise<readonly Price[]> {
    return (await this.#ask<{ prices: Price[] }>("ListPrices", { org_id: orgId })).prices.map(
      withoutEmptyUntil,
    );
  }

  async setPrice(price: NewPrice): Promise<Price> {
    return withoutEmptyUntil((await this.#ask<{ price: Price }>("SetPrice", price)).price);
  }

  reprice(from: string, until: string): Promise<Repricing> {
    return this.#ask("RepriceUsage", { from, until });
  }

  async budgets(): Promise<readonly Budget[]> {
    return (await this.#ask<{ budgets: Budget[] }>("ListBudgets", {})).budgets;
  }

  async setBudget(budget: NewBudget): Promise<Budget> {
    return (await this.#ask<{ budget: Budget }>("SetBudget", budget)).budget;
  }

  async removeBudget(budgetId: string): Promise<void> {
    await this.#ask("RemoveBudget", { budget_id: budgetId });
  }
}

/** A price without an end has an empty `until` over gRPC, and none over REST. */
function withoutEmptyUntil({ until = "", ...price }: Price): Price {
  return until === "" ? price : { ...price, until };
}
