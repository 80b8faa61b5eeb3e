import type {
  billing as operations,
  ClientOf,
  InputOf,
  OrganizationUsage,
} from "@steward/operations";
import type { SetupPage, UsageCloudEvent, UsageIngestion } from "@steward/protocol/rest";
import { BILLING } from "./gen/routes.js";
import type { Http } from "./http.js";
import { callsOf } from "./operations/operation-calls.js";
import { eachItem } from "./paging.js";
import type { CallOptions, SubmitOptions } from "./plans.js";

/** Billing: the routes under `/billing`, for billing admins. Calls reject with a StewardError. */
export interface Billing extends ClientOf<typeof operations, SubmitOptions> {
  /** Usage by day as CSV, with exact amounts of money. */
  usageCsv(query?: InputOf<typeof operations.getUsage>, options?: CallOptions): Promise<string>;
  /** The usage of each organization, from all pages; `limit` is the page size. */
  eachOrganizationUsage(
    query?: InputOf<typeof operations.getOrganizationUsage>,
    options?: CallOptions,
  ): AsyncIterable<OrganizationUsage>;
  /** Reports tool calls of another system. Each call counts once, however often it is reported. */
  report(events: readonly UsageCloudEvent[], options?: CallOptions): Promise<UsageIngestion>;
  /** Creates a page of the provider that saves a payment method. Not retried automatically. */
  createSetupPage(options?: CallOptions): Promise<SetupPage>;
}

export function createBilling(http: Http): Billing {
  const calls = callsOf<typeof operations>(http, BILLING);
  return {
    ...calls,
    usageCsv: async (query = {}, { signal } = {}) => {
      const response = await http.open({
        method: "GET",
        path: "/billing/usage",
        query: { ...query, format: "csv" },
        headers: { accept: "text/csv, application/json;q=0.5" },
        idempotent: true,
        signal,
      });
      return response.text();
    },
    eachOrganizationUsage: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { organizations: items, next_cursor: next } = await calls.getOrganizationUsage(
          page,
          options,
        );
        return { items, next };
      }),
    report: (body, { signal } = {}) =>
      http.call({
        method: "POST",
        path: "/billing/events",
        body,
        headers: { "content-type": "application/cloudevents-batch+json" },
        idempotent: true,
        signal,
      }),
    createSetupPage: ({ signal } = {}) =>
      http.call({ method: "POST", path: "/billing/setup-pages", idempotent: false, signal }),
  };
}
