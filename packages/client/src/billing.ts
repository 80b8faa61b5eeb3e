import type {
  Budget,
  DailyUsage,
  DetachedPaymentMethod,
  HeatMapRow,
  NewBudget,
  NewPrice,
  OrganizationUsage,
  OrganizationUsagePage,
  OrganizationQuery,
  OrganizationUsageQuery,
  PaymentCustomer,
  PaymentMethod,
  Price,
  RemovedBudget,
  RepriceRequest,
  Repricing,
  SetupIntent,
  UsageCloudEvent,
  UsageDifference,
  UsageIngestion,
  UsageQuery,
  VerifyUsageRequest,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import { eachItem } from "./paging.js";
import type { CallOptions, SubmitOptions } from "./plans.js";

/**
 * Billing: everything the server's `/billing` offers, for billing admins. Calls reject with a
 * StewardError.
 */
export interface Billing {
  /** Usage by day; grouped, by day and group. */
  usage(query?: UsageQuery, options?: CallOptions): Promise<readonly DailyUsage[]>;
  /** The same as CSV, in which money is exact. */
  usageCsv(query?: UsageQuery, options?: CallOptions): Promise<string>;
  /** All usage by model and intent. */
  heatMap(options?: CallOptions): Promise<readonly HeatMapRow[]>;
  /** What each organization used, by organization id, a page at a time; for the role operator. */
  usageByOrganization(
    query?: OrganizationUsageQuery,
    options?: CallOptions,
  ): Promise<OrganizationUsagePage>;
  /** The same, of every page. */
  usageOfAllOrganizations(
    query?: OrganizationUsageQuery,
    options?: CallOptions,
  ): AsyncIterable<OrganizationUsage>;
  /** Reports tool calls of another system; each counts once, however often it is reported. */
  report(events: readonly UsageCloudEvent[], options?: CallOptions): Promise<UsageIngestion>;
  /** What of the totals differs from the rows; with `repair`, it is put right. */
  verify(request?: VerifyUsageRequest, options?: CallOptions): Promise<readonly UsageDifference[]>;

  /** An operator may name another organization. */
  prices(options?: CallOptions & OrganizationQuery): Promise<readonly Price[]>;
  /** For the role operator. Not tried again by itself. */
  setPrice(price: NewPrice, options?: CallOptions): Promise<Price>;
  /** For the role operator: prices recorded calls anew; repeating it changes nothing more. */
  reprice(request: RepriceRequest, options?: CallOptions): Promise<Repricing>;

  /** An operator may name another organization. */
  budgets(options?: CallOptions & OrganizationQuery): Promise<readonly Budget[]>;
  /** In the place of one with the same scope, unit, period and action. */
  setBudget(budget: NewBudget, options?: CallOptions): Promise<Budget>;
  /** Not tried again by itself. */
  removeBudget(budgetId: string, options?: CallOptions & OrganizationQuery): Promise<RemovedBudget>;

  /** The organization's customer at the payment provider; one is made when it has none. */
  createCustomer(options?: CallOptions): Promise<PaymentCustomer>;
  /** For the role operator: makes a customer another organization's. */
  rebindCustomer(
    customerId: string,
    orgId: string,
    options?: CallOptions,
  ): Promise<PaymentCustomer>;
  /** Begins to save a payment method of the provider's customer. */
  createSetupIntent(customerId: string, options?: SubmitOptions): Promise<SetupIntent>;
  paymentMethods(options?: CallOptions): Promise<readonly PaymentMethod[]>;
  /** Not tried again by itself. */
  detachPaymentMethod(id: string, options?: CallOptions): Promise<DetachedPaymentMethod>;
}

/** Billing over HTTP. */
export function createBilling(http: Http): Billing {
  const get = <Payload>(
    path: string,
    { signal, org_id }: CallOptions & OrganizationQuery = {},
  ): Promise<Payload> =>
    http.call({ method: "GET", path, query: { org_id }, idempotent: true, signal });
  const billing: Billing = {
    usage: (query = {}, { signal } = {}) =>
      http.call({ method: "GET", path: USAGE, query: { ...query }, idempotent: true, signal }),
    usageCsv: async (query = {}, { signal } = {}) => {
      const csv = { ...query, format: "csv" };
      const headers = { accept: "text/csv, application/json;q=0.5" };
      const response = await http.open({
        method: "GET",
        path: USAGE,
        query: csv,
        headers,
        idempotent: true,
        signal,
      });
      return response.text();
    },
    usageByOrganization: (query = {}, { signal } = {}) => {
      const path = `${USAGE}/organizations`;
      return http.call({ method: "GET", path, query: { ...query }, idempotent: true, signal });
    },
    usageOfAllOrganizations: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { organizations: items, next_cursor: next } = await billing.usageByOrganization(
          page,
          options,
        );
        return { items, next };
      }),
    heatMap: (options) => get(`${USAGE}/heatmap`, options),
    report: (body, { signal } = {}) =>
      http.call({
        method: "POST",
        path: "/billing/events",
        body,
        headers: { "content-type": "application/cloudevents-batch+json" },
        idempotent: true,
        signal,
      }),
    verify: (body = {}, { signal } = {}) =>
      http.call({ method: "POST", path: `${USAGE}/verify`, body, idempotent: true, signal }),
    prices: (options) => get("/billing/prices", options),
    setPrice: (body, { signal } = {}) =>
      http.call({ method: "POST", path: "/billing/prices", body, idempotent: false, signal }),
    reprice: (body, { signal } = {}) =>
      http.call({ method: "POST", path: "/billing/reprice", body, idempotent: true, signal }),
    budgets: (options) => get("/billing/budgets", options),
    setBudget: (body, { signal } = {}) =>
      http.call({ method: "POST", path: "/billing/budgets", body, idempotent: true, signal }),
    removeBudget: (budgetId, { signal, org_id } = {}) => {
      const path = `/billing/budgets/${encodeURIComponent(budgetId)}`;
      return http.call({ method: "DELETE", path, query: { org_id }, idempotent: false, signal });
    },
    createCustomer: ({ signal } = {}) =>
      http.call({ method: "POST", path: "/billing/customers", idempotent: true, signal }),
    rebindCustomer: (customerId, orgId, { signal } = {}) => {
      const path = `/billing/customers/${encodeURIComponent(customerId)}`;
      return http.call({ method: "PUT", path, body: { org_id: orgId }, idempotent: true, signal });
    },
    createSetupIntent: (customerId, { idempotencyKey, signal } = {}) =>
      http.call({
        method: "POST",
        path: "/billing/setup-intent",
        body: { customer_id: customerId },
        headers: { "idempotency-key": idempotencyKey ?? crypto.randomUUID() },
        idempotent: true,
        signal,
      }),
    paymentMethods: (options) => get(METHODS, options),
    detachPaymentMethod: (id, { signal } = {}) => {
      const path = `${METHODS}/${encodeURIComponent(id)}`;
      return http.call({ method: "DELETE", path, idempotent: false, signal });
    },
  };
  return billing;
}

const USAGE = "/billing/usage";
const METHODS = "/billing/payment-methods";
