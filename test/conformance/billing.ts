/** The billing operations of a scenario over any protocol; answers have REST's member names. */
export interface Billing {
  usage(query?: UsageQuery): Promise<readonly DailyUsage[]>;
  organizations(query: OrganizationsQuery): Promise<OrganizationsPage>;
  heatMap(): Promise<readonly HeatMapRow[]>;
  storage(): Promise<StorageUsage>;
  report(events: readonly UsageEvent[]): Promise<Ingestion>;
  verify(repair?: boolean): Promise<readonly unknown[]>;
  /** @param orgId another organization than the caller's. */
  prices(orgId?: string): Promise<readonly Price[]>;
  setPrice(price: NewPrice): Promise<Price>;
  reprice(from: string, until: string): Promise<Repricing>;
  budgets(): Promise<readonly Budget[]>;
  setBudget(budget: NewBudget): Promise<Budget>;
  removeBudget(budgetId: string): Promise<void>;
}

export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
  readonly tz?: string;
  readonly group_by?: string;
}

export interface DailyUsage {
  readonly date: string;
  readonly action_count: number;
  readonly total_aau: number;
  readonly total_cost_usd: number;
  readonly tool_name?: string;
  readonly session_id?: string;
  readonly intent?: string;
  readonly orm_model?: string;
}

export interface OrganizationsQuery {
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface OrganizationsPage {
  readonly organizations: readonly (Omit<DailyUsage, "date"> & { readonly org_id: string })[];
  readonly next_cursor?: string;
}

export interface HeatMapRow {
  readonly orm_model: string;
  readonly intent: string;
  readonly aau_weight: number;
  readonly total_aau: number;
  readonly action_count: number;
}

export interface StorageUsage {
  readonly stored_bytes: number;
  readonly bytes: Readonly<Record<"plans" | "memory" | "usage" | "state" | "audit", number>>;
}

export interface UsageEvent {
  readonly id: string;
  readonly source: string;
  readonly time?: string;
  readonly data: {
    readonly tool_name: string;
    readonly intent?: string;
    readonly session_id?: string;
    readonly orm_model?: string;
  };
}

export interface Ingestion {
  readonly accepted: number;
  readonly duplicates: number;
}

export interface NewPrice {
  readonly scope: string;
  readonly subject?: string;
  readonly amount_usd: string;
  readonly from?: string;
  readonly until?: string;
  readonly org_id?: string;
}

export interface Price extends NewPrice {
  readonly price_id: string;
}

export interface Repricing {
  readonly corrections: number;
  readonly difference_usd: string;
}

export interface NewBudget {
  readonly scope: string;
  readonly unit: string;
  readonly period: string;
  readonly limit: string;
  readonly action: string;
  readonly org_id?: string;
}

export interface Budget extends NewBudget {
  readonly budget_id: string;
  readonly set_by: string;
}
