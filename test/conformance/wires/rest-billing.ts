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

/** Sends a request and returns the answer's `data`. @throws Refusal. */
export type AskRest = <Data>(method: string, path: string, body?: object) => Promise<Data>;

/** Usage, prices and budgets over REST. */
export class RestBilling implements Billing {
  readonly #ask: AskRest;

  constructor(ask: AskRest) {
    this.#ask = ask;
  }

  usage(query: UsageQuery = {}): Promise<readonly DailyUsage[]> {
    const text = new URLSearchParams({ ...query }).toString();
    return this.#ask("GET", `/billing/usage?${text}`);
  }

  organizations(query: OrganizationsQuery): Promise<OrganizationsPage> {
    const { limit, ...rest } = query;
    const size = limit === undefined ? {} : { limit: String(limit) };
    const text = new URLSearchParams({ ...rest, ...size }).toString();
    return this.#ask("GET", `/billing/usage/organizations?${text}`);
  }

  heatMap(): Promise<readonly HeatMapRow[]> {
    return this.#ask("GET", "/billing/usage/heatmap");
  }

  storage(): Promise<StorageUsage> {
    return this.#ask("GET", "/billing/usage/storage");
  }

  report(events: readonly UsageEvent[]): Promise<Ingestion> {
    const batch = events.map((event) => ({ specversion: "1.0", type: "tool-call", ...event }));
    return this.#ask("POST", "/billing/events", batch);
  }

  verify(repair = false): Promise<readonly unknown[]> {
    return this.#ask("POST", "/billing/usage/verify", { repair });
  }

  prices(orgId?: string): Promise<readonly Price[]> {
    const query = orgId === undefined ? "" : `?org_id=${orgId}`;
    return this.#ask("GET", `/billing/prices${query}`);
  }

  setPrice(price: NewPrice): Promise<Price> {
    return this.#ask("POST", "/billing/prices", price);
  }

  reprice(from: string, until: string): Promise<Repricing> {
    return this.#ask("POST", "/billing/reprice", { from, until });
  }

  budgets(): Promise<readonly Budget[]> {
    return this.#ask("GET", "/billing/budgets");
  }

  setBudget(budget: NewBudget): Promise<Budget> {
    return this.#ask("POST", "/billing/budgets", budget);
  }

  async removeBudget(budgetId: string): Promise<void> {
    await this.#ask("DELETE", `/billing/budgets/${budgetId}`);
  }
}
