import * as z from "zod";
import { operation, type Infer } from "../../operation.js";
import { cursor, nextCursor, pageLimit } from "../../page.js";
import { TOTALS, totalsShape } from "./totals.js";

/** Maximum number of organizations on a page of the report over all of them. */
const ORGANIZATIONS_PAGE_MAX = 200;

const ORGANIZATION_USAGE = { org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11", ...TOTALS } as const;

const organizationUsage = z
  .object({ org_id: z.string().describe("Id of the organization"), ...totalsShape })
  .meta({
    id: "OrganizationUsage",
    description: "Usage of one organization",
    examples: [ORGANIZATION_USAGE],
  });

export type OrganizationUsage = Infer<typeof organizationUsage>;

export const getOrganizationUsage = operation({
  name: "getOrganizationUsage",
  action: "usage:read_all",
  audit: "nothing",
  summary: "Usage of all organizations, for the operator",
  description:
    "What each organization used in a range of UTC days, by organization id, a page at a time. It needs the " +
    "role operator; next_cursor leads to the next page.",
  tag: "Billing",
  input: z.strictObject({
    from: z.string().exactOptional().describe("First UTC day, YYYY-MM-DD; default 1970-01-01"),
    to: z
      .string()
      .exactOptional()
      .describe("Last UTC day, YYYY-MM-DD, inclusive; default 9999-12-31"),
    limit: pageLimit(ORGANIZATIONS_PAGE_MAX).describe(
      "Organizations on a page, 1 to 200; default 50",
    ),
    cursor,
  }),
  output: z
    .object({
      organizations: z
        .array(organizationUsage)
        .readonly()
        .describe("Organizations that have usage in the range, by id"),
      next_cursor: nextCursor,
    })
    .meta({
      id: "OrganizationUsagePage",
      description: "A page of the usage of all organizations",
      examples: [{ organizations: [ORGANIZATION_USAGE] }],
    }),
  errors: [403],
  rest: { method: "GET", path: "/billing/usage/organizations", answered: "A page" },
  grpc: { method: "UsageService/GetOrganizationUsage" },
});
