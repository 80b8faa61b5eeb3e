import * as z from "zod";
import type { Message } from "./envelope.js";

/** The groupings of a usage report. */
export const USAGE_GROUPINGS = ["tool", "session", "intent", "model"] as const;

/** One of {@link USAGE_GROUPINGS}. */
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Maximum number of organizations on a page of the report over all of them. */
const ORGANIZATIONS_PAGE_MAX = 200;

/** Maximum number of events in one request. */
export const USAGE_EVENTS_MAX: number = 1000;

// The schema checks shapes only; the service checks the values.
const usageQueryShape = {
  /** YYYY-MM-DD; default: 1970-01-01. */
  from: z.string().exactOptional().describe("First day, YYYY-MM-DD; default 1970-01-01"),
  /** YYYY-MM-DD, inclusive; default: 9999-12-31. */
  to: z.string().exactOptional().describe("Last day, YYYY-MM-DD, inclusive; default 9999-12-31"),
  /** IANA time zone that days are counted in; default: UTC. */
  tz: z.string().exactOptional().describe("Time zone whose days are meant; default UTC"),
  /** One of {@link USAGE_GROUPINGS}. */
  group_by: z.string().exactOptional().describe("tool, session, intent or model"),
  /** `json` or `csv`; absent: the `accept` header decides. */
  format: z.string().exactOptional().describe("json or csv; default: as accept says"),
};

/** The query of `GET /billing/usage` (Contract §4.5) and its additions. */
export interface UsageQuery extends Message<typeof usageQueryShape> {}

export const usageQuerySchema: z.ZodType<UsageQuery> = z.strictObject(usageQueryShape);

const totalsShape = {
  action_count: z.int().describe("Number of tool calls"),
  total_aau: z.number().describe("Weight of the calls in Agentic Activity Units (AAU)"),
  total_cost_usd: z.number().describe("Cost of the calls in US dollars"),
};

const ORGANIZATION_USAGE = {
  org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11",
  action_count: 42,
  total_aau: 86,
  total_cost_usd: 0.43,
};

const dailyUsageShape = {
  /** YYYY-MM-DD. */
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
};

/** Usage of one day (Contract §2.11); in a grouped report, of one group on one day. */
export interface DailyUsage extends Message<typeof dailyUsageShape> {}

export const dailyUsageSchema: z.ZodType<DailyUsage> = z.object(dailyUsageShape).meta({
  id: "DailyUsage",
  description: "Usage of one day, or of one group on one day when a grouping was asked for",
  examples: [{ date: "2026-01-05", action_count: 42, total_aau: 86, total_cost_usd: 0.43 }],
});

const organizationUsageQueryShape = {
  /** YYYY-MM-DD in UTC; default: 1970-01-01. */
  from: z.string().exactOptional().describe("First UTC day, YYYY-MM-DD; default 1970-01-01"),
  /** YYYY-MM-DD in UTC, inclusive; default: 9999-12-31. */
  to: z
    .string()
    .exactOptional()
    .describe("Last UTC day, YYYY-MM-DD, inclusive; default 9999-12-31"),
  /** Organizations on a page, 1 to 200; default: 50. */
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(ORGANIZATIONS_PAGE_MAX)
    .exactOptional()
    .describe("Organizations on a page, 1 to 200; default 50"),
  /** `next_cursor` of the previous page. */
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
};

/** The query of `GET /billing/usage/organizations`. */
export interface OrganizationUsageQuery extends Message<typeof organizationUsageQueryShape> {}

export const organizationUsageQuerySchema: z.ZodType<OrganizationUsageQuery> = z.strictObject(
  organizationUsageQueryShape,
);

const organizationUsageShape = {
  org_id: z.string().describe("Id of the organization"),
  ...totalsShape,
};

/** The usage of one organization. */
export interface OrganizationUsage extends Message<typeof organizationUsageShape> {}

const organizationUsageSchema: z.ZodType<OrganizationUsage> = z
  .object(organizationUsageShape)
  .meta({
    id: "OrganizationUsage",
    description: "Usage of one organization",
    examples: [ORGANIZATION_USAGE],
  });

const organizationUsagePageShape = {
  organizations: z
    .array(organizationUsageSchema)
    .readonly()
    .describe("Organizations that have usage in the range, by id"),
  /** For the `cursor` of the next request; absent on the last page. */
  next_cursor: z
    .string()
    .exactOptional()
    .describe("Cursor of the next page; absent on the last page"),
};

/** A page of the usage of all organizations, by organization id. */
export interface OrganizationUsagePage extends Message<typeof organizationUsagePageShape> {}

export const organizationUsagePageSchema: z.ZodType<OrganizationUsagePage> = z
  .object(organizationUsagePageShape)
  .meta({
    id: "OrganizationUsagePage",
    description: "A page of the usage of all organizations",
    examples: [{ organizations: [ORGANIZATION_USAGE] }],
  });

const heatMapRowShape = {
  orm_model: z.string().describe("ORM model of the calls; unknown when a call named none"),
  intent: z.string().describe("Intent of the calls"),
  aau_weight: z.number().describe("Weight of one call in AAU"),
  total_aau: z.number().describe("Weight of all these calls in AAU"),
  action_count: z.int().describe("Number of tool calls"),
};

/** One cell of the matrix of models and intents (Contract §2.11). */
export interface HeatMapRow extends Message<typeof heatMapRowShape> {}

export const heatMapRowSchema: z.ZodType<HeatMapRow> = z.object(heatMapRowShape).meta({
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

const storedBytesShape = {
  plans: z.int().describe("Plans with their outputs, events, tool calls and approvals"),
  memory: z.int().describe("Memory entries with their vectors"),
  usage: z.int().describe("The rows of single calls"),
  state: z.int().describe("Commits and their blocks"),
  audit: z.int().describe("Audit records"),
};

/** Bytes that an organization stores, by kind of data. */
export interface StoredBytes extends Message<typeof storedBytesShape> {}

const STORED_BYTES = {
  plans: 734_003_200,
  memory: 52_428_800,
  usage: 8_388_608,
  state: 0,
  audit: 0,
};

const storageUsageShape = {
  /** Absent while the organization is being measured for the first time since the server started. */
  stored_bytes: z
    .int()
    .exactOptional()
    .describe(
      "Bytes stored, those written since the measurement included; absent before it has ended",
    ),
  /** Absent: there is no quota. */
  quota_bytes: z.int().exactOptional().describe("Bytes that may be stored; absent: no quota"),
  bytes: z
    .object(storedBytesShape)
    .meta({ id: "StoredBytes", description: "Bytes by kind of data", examples: [STORED_BYTES] })
    .exactOptional()
    .describe("The measured bytes by kind of data; indexes do not count"),
  measured_at: z.string().exactOptional().describe("When they were measured, in RFC 3339"),
};

/** What an organization stores. */
export interface StorageUsage extends Message<typeof storageUsageShape> {}

export const storageUsageSchema: z.ZodType<StorageUsage> = z.object(storageUsageShape).meta({
  id: "StorageUsage",
  description: "What an organization stores, and how much it may store",
  examples: [
    {
      stored_bytes: 794_820_608,
      quota_bytes: 10_737_418_240,
      bytes: STORED_BYTES,
      measured_at: "2026-01-05T12:00:00.000Z",
    },
  ],
});

const name = (lengthMax: number): z.ZodString => z.string().min(1).max(lengthMax);

// An event may have other attributes, as CloudEvents allows; its data may not. The schema checks shapes
// only; the service checks the values.
const usageCloudEventShape = {
  specversion: z.literal("1.0").describe("Version of CloudEvents"),
  /** Unique together with `source`: reporting the event again adds nothing. */
  id: name(255).describe(
    "Id of the event, unique within the source; reporting the same id again adds nothing",
  ),
  source: name(1024).describe("The system that made the call"),
  type: name(255).describe("Type of the event, as the source names it"),
  /** RFC 3339: when the call ended; absent: the time of receipt. */
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
};

/**
 * A tool call that another system reports, as a CloudEvent of version 1.0. It may have other
 * attributes.
 */
export interface UsageCloudEvent extends Message<typeof usageCloudEventShape> {}

export const usageCloudEventSchema: z.ZodType<UsageCloudEvent> = z
  .object(usageCloudEventShape)
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

const usageIngestionShape = {
  accepted: z.int().describe("Number of events that were new"),
  duplicates: z.int().describe("Number of events that had been reported before"),
};

/** Number of new events among the reported ones. */
export interface UsageIngestion extends Message<typeof usageIngestionShape> {}

export const usageIngestionSchema: z.ZodType<UsageIngestion> = z.object(usageIngestionShape).meta({
  id: "UsageIngestion",
  description: "Result of reporting events",
  examples: [{ accepted: 1, duplicates: 0 }],
});

const verifyUsageRequestShape = {
  /** Whether to repair the totals that differ. */
  repair: z.boolean().exactOptional().describe("Whether to correct the totals that differ"),
};

/** The body of `POST /billing/usage/verify`. */
export interface VerifyUsageRequest extends Message<typeof verifyUsageRequestShape> {}

export const verifyUsageRequestSchema: z.ZodType<VerifyUsageRequest> = z
  .strictObject(verifyUsageRequestShape)
  .meta({
    id: "VerifyUsageRequest",
    description: "A comparison of the stored totals with their rows",
    examples: [{ repair: false }],
  });

/** Sums of usage. */
export interface UsageTotals extends Message<typeof totalsShape> {}

const totalsSchema: z.ZodType<UsageTotals> = z.object(totalsShape).meta({
  id: "UsageTotals",
  description: "Sums of usage",
  examples: [{ action_count: 42, total_aau: 86, total_cost_usd: 0.43 }],
});

const usageDifferenceShape = {
  /** Describes the total, for people. */
  total: z.string().describe("Name of the total, for people"),
  stored: totalsSchema.describe("The stored total"),
  recomputed: totalsSchema.describe("The sum of the rows"),
};

/** A stored total that is not the sum of its rows. */
export interface UsageDifference extends Message<typeof usageDifferenceShape> {}

export const usageDifferenceSchema: z.ZodType<UsageDifference> = z
  .object(usageDifferenceShape)
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
