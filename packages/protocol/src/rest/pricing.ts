import * as z from "zod";
import type { Message } from "./envelope.js";

const orgId = z
  .string()
  .exactOptional()
  .describe("Organization that an operator means; default: the caller's own");

const organizationQueryShape = {
  /** The organization to read, for operators; absent: the caller's own. */
  org_id: orgId,
};

/** The query of the lists of prices and budgets, and of removing a budget. */
export interface OrganizationQuery extends Message<typeof organizationQueryShape> {}

export const organizationQuerySchema: z.ZodType<OrganizationQuery> =
  z.strictObject(organizationQueryShape);

const amount = z.string().describe("Decimal dollars, up to nine places");

// The schema checks shapes only; the service checks the values.
const newPriceShape = {
  /**
   * `aau`, `intent`, `model` or `tool`, from general to specific; the most specific price applies.
   */
  scope: z.string().describe("aau, intent, model or tool; the most specific price wins"),
  /** The intent, model or tool; absent for `aau`. */
  subject: z
    .string()
    .max(255)
    .exactOptional()
    .describe("The intent, model or tool that it applies to"),
  /** For each AAU under `aau`, for each call otherwise; up to nine decimal places. */
  amount_usd: amount,
  /** Date or RFC 3339; absent: now. */
  from: z.string().exactOptional().describe("Date or RFC 3339; default: now"),
  /** Date or RFC 3339, exclusive; absent: the price has no end. */
  until: z.string().exactOptional().describe("Date or RFC 3339, exclusive; default: for good"),
  /** The organization that pays it; absent: the caller's own. */
  org_id: orgId,
};

/** A price to set, in decimal dollars as text, because a double cannot hold them exactly. */
export interface NewPrice extends Message<typeof newPriceShape> {}

export const newPriceSchema: z.ZodType<NewPrice> = z.strictObject(newPriceShape).meta({
  id: "NewPrice",
  description: "A new price",
  examples: [{ scope: "aau", amount_usd: "0.005", from: "2026-02-01" }],
});

const priceShape = {
  price_id: z.string().describe("Id of the price"),
  scope: z.string().describe("aau, intent, model or tool; the most specific price wins"),
  subject: z.string().describe("The intent, model or tool that it applies to; empty for aau"),
  amount_usd: amount,
  /** RFC 3339, UTC. */
  from: z.string().meta({ format: "date-time" }).describe("From when it applies, in UTC"),
  /** RFC 3339, UTC, exclusive; absent: the price has no end. */
  until: z
    .string()
    .meta({ format: "date-time" })
    .exactOptional()
    .describe("Until when it applies, exclusive; absent: for good"),
};

/** A price and the period it applies to. */
export interface Price extends Message<typeof priceShape> {}

export const priceSchema: z.ZodType<Price> = z.object(priceShape).meta({
  id: "Price",
  description: "A price and the period it applies to",
  examples: [
    {
      price_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1",
      scope: "aau",
      subject: "",
      amount_usd: "0.005",
      from: "2026-02-01T00:00:00.000Z",
    },
  ],
});

const repriceRequestShape = {
  /** Date or RFC 3339. */
  from: z.string().describe("Date or RFC 3339"),
  /** Date or RFC 3339, exclusive. */
  until: z.string().describe("Date or RFC 3339, exclusive"),
  /** The organization whose calls to price; absent: the caller's own. */
  org_id: orgId,
};

/** The recorded calls to price again: those in `[from, until)`. */
export interface RepriceRequest extends Message<typeof repriceRequestShape> {}

export const repriceRequestSchema: z.ZodType<RepriceRequest> = z
  .strictObject(repriceRequestShape)
  .meta({
    id: "RepriceRequest",
    description: "The recorded calls to price anew",
    examples: [{ from: "2026-02-01", until: "2026-03-01" }],
  });

const repricingShape = {
  /** Number of added corrections; no row is edited. */
  corrections: z.int().describe("Number of corrections added; no recorded row is edited"),
  /** The sum of the corrections. */
  difference_usd: z.string().describe("Sum of the corrections in decimal dollars"),
};

/** The result of pricing calls again. */
export interface Repricing extends Message<typeof repricingShape> {}

export const repricingSchema: z.ZodType<Repricing> = z.object(repricingShape).meta({
  id: "Repricing",
  description: "Result of pricing recorded calls anew",
  examples: [{ corrections: 12, difference_usd: "0.06" }],
});

const limitShape = {
  /** `organization`: all its calls together; `session`: the calls of each session. */
  scope: z.string().describe("organization, or session for each session on its own"),
  /** `aau` or `usd`. */
  unit: z.string().describe("aau or usd"),
  /** `day` or `month` in UTC, or `total`. */
  period: z.string().describe("day or month in UTC, or total"),
  /** Whole AAUs, or decimal dollars. */
  limit: z.string().describe("Whole AAUs, or decimal dollars"),
  /** `warn` or `block`. */
  action: z.string().describe("warn or block"),
};

// The schema checks shapes only; the service checks the values.
const newBudgetShape = {
  ...limitShape /** The organization that an operator sets it for; left out: the caller's own. */,
  org_id: orgId,
};

/** A budget to set. */
export interface NewBudget extends Message<typeof newBudgetShape> {}

export const newBudgetSchema: z.ZodType<NewBudget> = z.strictObject(newBudgetShape).meta({
  id: "NewBudget",
  description: "A new budget",
  examples: [
    { scope: "organization", unit: "usd", period: "month", limit: "100", action: "block" },
  ],
});

const budgetShape = {
  budget_id: z.string().describe("Id of the budget"),
  ...limitShape,
  /** `operator`, or `organization`: its own billing admins. */
  set_by: z.string().describe("operator, or organization for its own billing admins"),
  /** Usage recorded in the present period, in the unit of the limit. */
  used: z
    .string()
    .exactOptional()
    .describe("Recorded in the present period, in the unit of the limit; only in the list"),
  remaining: z.string().exactOptional().describe("What is left of the limit; only in the list"),
  /** RFC 3339, UTC; absent: never. */
  resets_at: z
    .string()
    .meta({ format: "date-time" })
    .exactOptional()
    .describe("When the period ends, in UTC; absent for a total"),
};

/** A limit of usage. */
export interface Budget extends Message<typeof budgetShape> {}

export const budgetSchema: z.ZodType<Budget> = z.object(budgetShape).meta({
  id: "Budget",
  description: "A cap on usage",
  examples: [
    {
      budget_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1",
      scope: "organization",
      unit: "usd",
      period: "month",
      limit: "100",
      action: "block",
      set_by: "organization",
      used: "12.5",
      remaining: "87.5",
      resets_at: "2026-04-01T00:00:00.000Z",
    },
  ],
});

const removedBudgetShape = {
  budget_id: z.string().describe("Id of the budget"),
  removed: z.literal(true).describe("Always true"),
};

/** The answer to removing a budget. */
export interface RemovedBudget extends Message<typeof removedBudgetShape> {}

export const removedBudgetSchema: z.ZodType<RemovedBudget> = z.object(removedBudgetShape).meta({
  id: "RemovedBudget",
  description: "A budget that is removed",
  examples: [{ budget_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1", removed: true }],
});
