import * as z from "zod";

/** A price to be set: decimal dollars as text, because money is no double. */
export interface NewPrice {
  /** `aau`, `intent`, `model` or `tool`: the later, the more specific, and that one wins. */
  readonly scope: string;
  /** The intent, model or tool; left out for `aau`. */
  readonly subject?: string;
  /** For each AAU under `aau`, for each call otherwise; up to nine decimal places. */
  readonly amount_usd: string;
  /** Date or RFC 3339; left out: now. */
  readonly from?: string;
  /** Date or RFC 3339, exclusive; left out: for good. */
  readonly until?: string;
  /** The organization that pays it; left out: the caller's own. */
  readonly org_id?: string;
}

/** A price and the period it applies to. */
export interface Price {
  readonly price_id: string;
  readonly scope: string;
  readonly subject: string;
  readonly amount_usd: string;
  /** RFC 3339, UTC. */
  readonly from: string;
  /** RFC 3339, UTC, exclusive; absent: for good. */
  readonly until?: string;
}

/** Which recorded calls are priced anew: those of `[from, until)`. */
export interface RepriceRequest {
  /** Date or RFC 3339. */
  readonly from: string;
  /** Date or RFC 3339, exclusive. */
  readonly until: string;
  /** Whose calls; left out: those of the caller's own organization. */
  readonly org_id?: string;
}

/** What pricing recorded calls anew came to. */
export interface Repricing {
  /** Corrections added; no row is edited. */
  readonly corrections: number;
  /** Their sum. */
  readonly difference_usd: string;
}

/** The query of the lists of prices and budgets, and of removing a budget. */
export interface OrganizationQuery {
  /** The organization that an operator asks about; left out: the caller's own. */
  readonly org_id?: string;
}

/** A budget to be set. */
export interface NewBudget {
  /** `organization`, or `session`: each session for itself. */
  readonly scope: string;
  /** `aau` or `usd`. */
  readonly unit: string;
  /** `day` or `month` in UTC, or `total`. */
  readonly period: string;
  /** Whole AAUs, or decimal dollars. */
  readonly limit: string;
  /** `warn` or `block`. */
  readonly action: string;
  /** The organization that an operator sets it for; left out: the caller's own. */
  readonly org_id?: string;
}

/** A cap on usage. */
export interface Budget extends Omit<NewBudget, "org_id"> {
  readonly budget_id: string;
  /** `operator`, or `organization`: its own billing admins. */
  readonly set_by: string;
  /** What is recorded in the present period, in the unit of the limit. */
  readonly used?: string;
  readonly remaining?: string;
  /** RFC 3339, UTC; absent: never. */
  readonly resets_at?: string;
}

/** The answer to removing a budget. */
export interface RemovedBudget {
  readonly budget_id: string;
  readonly removed: true;
}

const orgId = z
  .string()
  .exactOptional()
  .describe("Organization that an operator means; default: the caller's own");

export const organizationQuerySchema: z.ZodType<OrganizationQuery> = z.strictObject({
  org_id: orgId,
});

const amount = z.string().describe("Decimal dollars, up to nine places");

/** Schema of {@link NewPrice}: whether it makes sense is judged by the service. */
export const newPriceSchema: z.ZodType<NewPrice> = z
  .strictObject({
    scope: z.string().describe("aau, intent, model or tool; the most specific price wins"),
    subject: z
      .string()
      .max(255)
      .exactOptional()
      .describe("The intent, model or tool that it applies to"),
    amount_usd: amount,
    from: z.string().exactOptional().describe("Date or RFC 3339; default: now"),
    until: z.string().exactOptional().describe("Date or RFC 3339, exclusive; default: for good"),
    org_id: orgId,
  })
  .meta({
    id: "NewPrice",
    description: "A new price",
    examples: [{ scope: "aau", amount_usd: "0.005", from: "2026-02-01" }],
  });

export const priceSchema: z.ZodType<Price> = z
  .object({
    price_id: z.string().describe("Id of the price"),
    scope: z.string().describe("aau, intent, model or tool; the most specific price wins"),
    subject: z.string().describe("The intent, model or tool that it applies to; empty for aau"),
    amount_usd: amount,
    from: z.string().meta({ format: "date-time" }).describe("From when it applies, in UTC"),
    until: z
      .string()
      .meta({ format: "date-time" })
      .exactOptional()
      .describe("Until when it applies, exclusive; absent: for good"),
  })
  .meta({
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

export const repriceRequestSchema: z.ZodType<RepriceRequest> = z
  .strictObject({
    from: z.string().describe("Date or RFC 3339"),
    until: z.string().describe("Date or RFC 3339, exclusive"),
    org_id: orgId,
  })
  .meta({
    id: "RepriceRequest",
    description: "The recorded calls to price anew",
    examples: [{ from: "2026-02-01", until: "2026-03-01" }],
  });

export const repricingSchema: z.ZodType<Repricing> = z
  .object({
    corrections: z.int().describe("Number of corrections added; no recorded row is edited"),
    difference_usd: z.string().describe("Sum of the corrections in decimal dollars"),
  })
  .meta({
    id: "Repricing",
    description: "Result of pricing recorded calls anew",
    examples: [{ corrections: 12, difference_usd: "0.06" }],
  });

const budgetShape = {
  scope: z.string().describe("organization, or session for each session on its own"),
  unit: z.string().describe("aau or usd"),
  period: z.string().describe("day or month in UTC, or total"),
  limit: z.string().describe("Whole AAUs, or decimal dollars"),
  action: z.string().describe("warn or block"),
};

/** Schema of {@link NewBudget}: whether it makes sense is judged by the service. */
export const newBudgetSchema: z.ZodType<NewBudget> = z
  .strictObject({ ...budgetShape, org_id: orgId })
  .meta({
    id: "NewBudget",
    description: "A new budget",
    examples: [
      { scope: "organization", unit: "usd", period: "month", limit: "100", action: "block" },
    ],
  });

export const budgetSchema: z.ZodType<Budget> = z
  .object({
    budget_id: z.string().describe("Id of the budget"),
    ...budgetShape,
    set_by: z.string().describe("operator, or organization for its own billing admins"),
    used: z
      .string()
      .exactOptional()
      .describe("Recorded in the present period, in the unit of the limit; only in the list"),
    remaining: z.string().exactOptional().describe("What is left of the limit; only in the list"),
    resets_at: z
      .string()
      .meta({ format: "date-time" })
      .exactOptional()
      .describe("When the period ends, in UTC; absent for a total"),
  })
  .meta({
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

export const removedBudgetSchema: z.ZodType<RemovedBudget> = z
  .object({
    budget_id: z.string().describe("Id of the budget"),
    removed: z.literal(true).describe("Always true"),
  })
  .meta({
    id: "RemovedBudget",
    description: "A budget that is removed",
    examples: [{ budget_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1", removed: true }],
  });
