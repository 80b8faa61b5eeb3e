import * as z from "zod";

/** What a usage report can be grouped by. */
export const USAGE_GROUPINGS = ["tool", "session", "intent", "model"] as const;

/** One of {@link USAGE_GROUPINGS}. */
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** The query of `GET /billing/usage` (Contract §4.5) and its additions. */
export interface UsageQuery {
  /** YYYY-MM-DD; 1970-01-01 unless said otherwise. */
  readonly from?: string;
  /** YYYY-MM-DD, inclusive; 9999-12-31 unless said otherwise. */
  readonly to?: string;
  /** IANA zone whose days are meant; UTC unless said otherwise. */
  readonly tz?: string;
  /** One of {@link USAGE_GROUPINGS}. */
  readonly group_by?: string;
  /** `json` or `csv`; else the `accept` header tells. */
  readonly format?: string;
}

/** Usage of one day (Contract §2.11); grouped, of one group on one day, which it then names. */
export interface DailyUsage {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly tool_name?: string;
  readonly session_id?: string;
  readonly intent?: string;
  readonly orm_model?: string;
  readonly action_count: number;
  readonly total_aau: number;
  readonly total_cost_usd: number;
}

/** The query of `GET /billing/usage/organizations`. */
export interface OrganizationUsageQuery {
  /** YYYY-MM-DD in UTC; 1970-01-01 unless said otherwise. */
  readonly from?: string;
  /** YYYY-MM-DD in UTC, inclusive; 9999-12-31 unless said otherwise. */
  readonly to?: string;
  /** Organizations on a page, 1 to 200; 50 unless said otherwise. */
  readonly limit?: number;
  /** `next_cursor` of the page before. */
  readonly cursor?: string;
}

/** What one organization used. */
export interface OrganizationUsage extends UsageTotals {
  readonly org_id: string;
}

/** A page of what each organization used, by organization id. */
export interface OrganizationUsagePage {
  readonly organizations: readonly OrganizationUsage[];
  /** For the `cursor` of the next request; absent on the last page. */
  readonly next_cursor?: string;
}

/** One cell of the matrix of models and intents (Contract §2.11). */
export interface HeatMapRow {
  readonly orm_model: string;
  readonly intent: string;
  readonly aau_weight: number;
  readonly total_aau: number;
  readonly action_count: number;
}

/** A tool call that another system reports: a CloudEvent of version 1.0. Other attributes may be there. */
export interface UsageCloudEvent {
  readonly specversion: "1.0";
  /** With `source`, unique for ever: reporting it again adds nothing. */
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** RFC 3339: when the call ended; left out: when it is received. */
  readonly time?: string;
  readonly data: {
    readonly tool_name: string;
    /** Left out: told from the tool's name. */
    readonly intent?: string;
    readonly session_id?: string;
    readonly orm_model?: string;
  };
}

/** How many of the reported events were new. */
export interface UsageIngestion {
  readonly accepted: number;
  readonly duplicates: number;
}

/** Sums of usage. */
export interface UsageTotals {
  readonly action_count: number;
  readonly total_aau: number;
  readonly total_cost_usd: number;
}

/** The body of `POST /billing/usage/verify`. */
export interface VerifyUsageRequest {
  /** Puts right what is wrong. */
  readonly repair?: boolean;
}

/** A kept total that is not what the rows add up to. */
export interface UsageDifference {
  /** Which total, for people. */
  readonly total: string;
  readonly stored: UsageTotals;
  readonly recomputed: UsageTotals;
}

/** Organizations on a page of the report over all of them, at most. */
const ORGANIZATIONS_PAGE_MAX = 200;

/** Events in one request, at most. */
export const USAGE_EVENTS_MAX: number = 1000;

/** Schema of {@link UsageQuery}: whether a value makes sense is judged by the service. */
export const usageQuerySchema: z.ZodType<UsageQuery> = z.strictObject({
  from: z.string().exactOptional().describe("First day, YYYY-MM-DD; default 1970-01-01"),
  to: z.string().exactOptional().describe("Last day, YYYY-MM-DD, inclusive; default 9999-12-31"),
  tz: z.string().exactOptional().describe("Time zone whose days are meant; default UTC"),
  group_by: z.string().exactOptional().describe("tool, session, intent or model"),
  format: z.string().exactOptional().describe("json or csv; default: as accept says"),
});

const totalsShape = {
  action_count: z.int().describe("Number of tool calls"),
  total_aau: z.number().describe("Weight of the calls in Agentic Activity Units (AAU)"),
  total_cost_usd: z.number().describe("Cost of the calls in US dollars"),
};

const ORGANIZATION_USAGE: OrganizationUsage = {
  org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11",
  action_count: 42,
  total_aau: 86,
  total_cost_usd: 0.43,
};

export const dailyUsageSchema: z.ZodType<DailyUsage> = z
  .object({
    date: z.string().describe("Day, YYYY-MM-DD"),
    tool_name: z.string().exactOptional().describe("Name of the tool; only when grouped by tool"),
    session_id: z
      .string()
      .exactOptional()
      .describe("Id of the session; only when grouped by session"),
    intent: z.string().exactOptional().describe("Intent of the calls; only when grouped by intent"),
    orm_model: z
      .string()
      .exactOptional()
      .describe("ORM model of the calls; only when grouped by model"),
    ...totalsShape,
  })
  .meta({
    id: "DailyUsage",
    description: "Usage of one day, or of one group on one day when a grouping was asked for",
    examples: [{ date: "2026-01-05", action_count: 42, total_aau: 86, total_cost_usd: 0.43 }],
  });

export const organizationUsageQuerySchema: z.ZodType<OrganizationUsageQuery> = z.strictObject({
  from: z.string().exactOptional().describe("First UTC day, YYYY-MM-DD; default 1970-01-01"),
  to: z
    .string()
    .exactOptional()
    .describe("Last UTC day, YYYY-MM-DD, inclusive; default 9999-12-31"),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(ORGANIZATIONS_PAGE_MAX)
    .exactOptional()
    .describe("Organizations on a page, 1 to 200; default 50"),
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
});

export const organizationUsagePageSchema: z.ZodType<OrganizationUsagePage> = z
  .object({
    organizations: z
      .array(
        z.object({ org_id: z.string().describe("Id of the organization"), ...totalsShape }).meta({
          id: "OrganizationUsage",
          description: "Usage of one organization",
          examples: [ORGANIZATION_USAGE],
        }),
      )
      .readonly()
      .describe("Organizations that have usage in the range, by id"),
    next_cursor: z.string().exactOptional().describe("For the next page; absent on the last"),
  })
  .meta({
    id: "OrganizationUsagePage",
    description: "A page of the usage of all organizations",
    examples: [{ organizations: [ORGANIZATION_USAGE] }],
  });

export const heatMapRowSchema: z.ZodType<HeatMapRow> = z
  .object({
    orm_model: z.string().describe("ORM model of the calls; unknown when a call named none"),
    intent: z.string().describe("Intent of the calls"),
    aau_weight: z.number().describe("Weight of one call in AAU"),
    total_aau: z.number().describe("Weight of all these calls in AAU"),
    action_count: z.int().describe("Number of tool calls"),
  })
  .meta({
    id: "HeatMapRow",
    description: "Usage of one ORM model with one intent",
    examples: [
      {
        orm_model: "Invoice",
        intent: "write_insert",
        aau_weight: 3,
        total_aau: 126,
        action_count: 42,
      },
    ],
  });

const name = (lengthMax: number): z.ZodString => z.string().min(1).max(lengthMax);

/**
 * Schema of {@link UsageCloudEvent}: what else is wrong with a text is judged by the service. An event may
 * have other attributes, as CloudEvents allows; its data may not.
 */
export const usageCloudEventSchema: z.ZodType<UsageCloudEvent> = z
  .object({
    specversion: z.literal("1.0").describe("Version of CloudEvents"),
    id: name(255).describe(
      "Id of the event, unique within the source; reporting the same id again adds nothing",
    ),
    source: name(1024).describe("The system that made the call"),
    type: name(255).describe("Type of the event, as the source names it"),
    time: z.string().exactOptional().describe("When the call ended, in RFC 3339; default: now"),
    data: z
      .strictObject({
        tool_name: name(255).describe("The tool that was called"),
        intent: z
          .string()
          .exactOptional()
          .describe("Intent of the call; default: derived from the tool's name"),
        session_id: name(255).exactOptional().describe("Session of the agent; default: none"),
        orm_model: name(64)
          .exactOptional()
          .describe("ORM model that the call was about; default: unknown"),
      })
      .describe("The call"),
  })
  .meta({
    id: "UsageCloudEvent",
    description: "A tool call that another system reports: a CloudEvent of version 1.0",
    examples: [
      {
        specversion: "1.0",
        id: "call-7",
        source: "urn:example:crm",
        type: "com.example.tool-call",
        time: "2026-01-05T12:00:00Z",
        data: { tool_name: "create_invoice", session_id: "s-1", orm_model: "Invoice" },
      },
    ],
  });

export const usageIngestionSchema: z.ZodType<UsageIngestion> = z
  .object({
    accepted: z.int().describe("Number of events that were new"),
    duplicates: z.int().describe("Number of events that had been reported before"),
  })
  .meta({
    id: "UsageIngestion",
    description: "Result of reporting events",
    examples: [{ accepted: 1, duplicates: 0 }],
  });

export const verifyUsageRequestSchema: z.ZodType<VerifyUsageRequest> = z
  .strictObject({
    repair: z.boolean().exactOptional().describe("Whether to correct the totals that differ"),
  })
  .meta({
    id: "VerifyUsageRequest",
    description: "A comparison of the stored totals with their rows",
    examples: [{ repair: false }],
  });

const totalsSchema = z.object(totalsShape).meta({
  id: "UsageTotals",
  description: "Sums of usage",
  examples: [{ action_count: 42, total_aau: 86, total_cost_usd: 0.43 }],
});

export const usageDifferenceSchema: z.ZodType<UsageDifference> = z
  .object({
    total: z.string().describe("Name of the total, for people"),
    stored: totalsSchema.describe("The stored total"),
    recomputed: totalsSchema.describe("The sum of the rows"),
  })
  .meta({
    id: "UsageDifference",
    description: "A stored total that differs from the sum of its rows",
    examples: [
      {
        total: "2026-01-05 read_select",
        stored: { action_count: 41, total_aau: 85, total_cost_usd: 0.42 },
        recomputed: { action_count: 42, total_aau: 86, total_cost_usd: 0.43 },
      },
    ],
  });
