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
  PaymentForm,
  PaymentMethod,
  Price,
  RemovedBudget,
  RepriceRequest,
  Repricing,
  SetupIntent,
  SetupPage,
  StorageUsage,
  UsageCloudEvent,
  UsageDifference,
  UsageIngestion,
  UsageQuery,
  VerifyUsageRequest,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import { eachItem } from "./paging.js";
import type { CallOptions, SubmitOptions } from "./plans.js";

/** Billing: the routes under `/billing`, for billing admins. Calls reject with a StewardError. */
export interface Billing {
  /** Usage per day; with a grouping, per day and group. */
  usage(query?: UsageQuery, options?: CallOptions): Promise<readonly DailyUsage[]>;
  /** The same usage as CSV, with exact amounts of money. */
  usageCsv(query?: UsageQuery, options?: CallOptions): Promise<string>;
  /** All usage, by model and intent. */
  heatMap(options?: CallOptions): Promise<readonly HeatMapRow[]>;
  /** What the organization stores, and its quota. */
  storage(options?: CallOptions): Promise<StorageUsage>;
  /**
   * One page of the usage of each organization, ordered by organization id. Requires the role
   * operator.
   */
  usageByOrganization(
    query?: OrganizationUsageQuery,
    options?: CallOptions,
  ): Promise<OrganizationUsagePage>;
  /** The usage of each organization, from all pages. */
  usageOfAllOrganizations(
    query?: OrganizationUsageQuery,
    options?: CallOptions,
  ): AsyncIterable<OrganizationUsage>;
  /** Reports tool calls of another system. Each call counts once, however often it is reported. */
  report(events: readonly UsageCloudEvent[], options?: CallOptions): Promise<UsageIngestion>;
  /** The totals that differ from the sum of the usage rows. `repair` corrects them. */
  verify(request?: VerifyUsageRequest, options?: CallOptions): Promise<readonly UsageDifference[]>;

  /** An operator may name another organization. */
  prices(options?: CallOptions & OrganizationQuery): Promise<readonly Price[]>;
  /** Requires the role operator. Not retried automatically. */
  setPrice(price: NewPrice, options?: CallOptions): Promise<Price>;
  /** Requires the role operator. Reprices recorded calls; repeating it has no further effect. */
  reprice(request: RepriceRequest, options?: CallOptions): Promise<Repricing>;

  /** An operator may name another organization. */
  budgets(options?: CallOptions & OrganizationQuery): Promise<readonly Budget[]>;
  /** Replaces a budget with the same scope, unit, period and action. */
  setBudget(budget: NewBudget, options?: CallOptions): Promise<Budget>;
  /** Not retried automatically. */
  removeBudget(budgetId: string, options?: CallOptions & OrganizationQuery): Promise<RemovedBudget>;

  /** The organization's customer at the payment provider, created when there is none. */
  createCustomer(options?: CallOptions): Promise<PaymentCustomer>;
  /** Requires the role operator. Assigns a customer to another organization. */
  rebindCustomer(
    customerId: string,
    orgId: string,
    options?: CallOptions,
  ): Promise<PaymentCustomer>;
  /** Creates a setup intent for a customer, with which a payment method can be saved. */
  createSetupIntent(customerId: string, options?: SubmitOptions): Promise<SetupIntent>;
  /** How people save a payment method: on the provider's page, or in its own form. */
  paymentForm(options?: CallOptions): Promise<PaymentForm>;
  /** Creates a page of the provider that saves a payment method. Not retried automatically. */
  createSetupPage(options?: CallOptions): Promise<SetupPage>;
  paymentMethods(options?: CallOptions): Promise<readonly PaymentMethod[]>;
  /** Not retried automatically. */
  detachPaymentMethod(id: string, options?: CallOptions): Promise<DetachedPaymentMethod>;
}

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
    storage: (options) => get(`${USAGE}/storage`, options),
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
    paymentForm: (options) => get("/billing/payment-form", options),
    createSetupPage: ({ signal } = {}) =>
      http.call({ method: "POST", path: "/billing/setup-pages", idempotent: false, signal }),
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
