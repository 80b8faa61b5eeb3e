import { z } from "zod";
import { AppError } from "@steward/kernel/errors.js";
import type { PaymentMethod, SetupIntent, SetupPage } from "../../payments/ports.js";

/** Stripe returns a reference as an id, or as the expanded object. */
const referenceSchema = z
  .union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)])
  .nullish();
const lastDigits = z.looseObject({ last4: z.string().nullish() }).nullish();

const setupIntentSchema = z.looseObject({
  id: z.string().min(1),
  client_secret: z.string().nullish(),
  customer: referenceSchema,
});

const setupPageSchema = z.looseObject({
  id: z.string().min(1),
  // A browser is sent there.
  url: z.url({ protocol: /^https?$/ }),
});

const paymentMethodSchema = z.looseObject({
  id: z.string().min(1),
  type: z.string(),
  created: z.number(),
  customer: referenceSchema,
  card: z
    .looseObject({
      brand: z.string(),
      last4: z.string(),
      exp_month: z.number(),
      exp_year: z.number(),
    })
    .nullish(),
  us_bank_account: lastDigits,
  sepa_debit: lastDigits,
});

const customerSchema = z.looseObject({
  id: z.string().min(1),
  deleted: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

const pageSchema = z.looseObject({ data: z.array(paymentMethodSchema), has_more: z.boolean() });

/** One page of a customer's payment methods. */
export interface PaymentMethodPage {
  readonly methods: readonly PaymentMethod[];
  /** Cursor of the next page; absent on the last page. */
  readonly nextAfter: string | undefined;
}

/**
 * @throws AppError `PAYMENT_PROVIDER_FAILED` when the response is no setup intent with which this
 * customer can save a payment method.
 */
export function setupIntentOf(answer: unknown, customerId: string): SetupIntent {
  const { id, client_secret: clientSecret, customer } = readAnswer(setupIntentSchema, answer);
  requireCustomer("a setup intent", customer, customerId);
  if (clientSecret === undefined || clientSecret === null || clientSecret === "") {
    throw wrongAnswer("a setup intent without client_secret");
  }
  return { id, clientSecret, customerId };
}

/** @throws AppError `PAYMENT_PROVIDER_FAILED` when the response is no page of Checkout. */
export function setupPageOf(answer: unknown): SetupPage {
  const { id, url } = readAnswer(setupPageSchema, answer);
  return { id, url };
}

/**
 * @throws AppError `PAYMENT_PROVIDER_FAILED` when the response is no list of payment methods of this
 * customer.
 */
export function pageOf(answer: unknown, customerId: string): PaymentMethodPage {
  const page = readAnswer(pageSchema, answer);
  for (const { customer } of page.data) requireCustomer("a payment method", customer, customerId);
  return {
    methods: page.data.map(paymentMethodOf),
    nextAfter: page.has_more ? page.data.at(-1)?.id : undefined,
  };
}

/**
 * The customer that a payment method is attached to, if any.
 * @throws AppError `PAYMENT_PROVIDER_FAILED` when the response is no payment method.
 */
export function customerOf(answer: unknown): string | undefined {
  return readAnswer(paymentMethodSchema, answer).customer ?? undefined;
}

/**
 * A customer's id.
 * @throws AppError `PAYMENT_PROVIDER_FAILED` when the response is no customer.
 */
export function customerIdOf(answer: unknown): string {
  return readAnswer(customerSchema, answer).id;
}

/**
 * The organization named in a customer's metadata, if any.
 * @throws AppError `PAYMENT_PROVIDER_FAILED` when the response is no customer; `NOT_FOUND` for a
 * deleted customer.
 */
export function organizationNamedBy(answer: unknown, name: string): string | undefined {
  const { deleted, metadata } = readAnswer(customerSchema, answer);
  if (deleted === true) {
    throw new AppError("NOT_FOUND", "The payment provider has deleted this customer");
  }
  const named = metadata?.[name];
  return typeof named === "string" ? named : undefined;
}

/** A provider, or what stands between, that mixes customers up must not show one another's cards. */
function requireCustomer(
  what: string,
  customer: string | null | undefined,
  customerId: string,
): void {
  if ((customer ?? customerId) === customerId) return;
  throw wrongAnswer(`${what} of another customer than the one that was asked about`);
}

/** The error for a response that can be read and cannot be meant. */
function wrongAnswer(what: string): AppError {
  return new AppError(
    "PAYMENT_PROVIDER_FAILED",
    `The payment provider answered with ${what}, which is its fault: check that PAYMENT_API_BASE is the address of ` +
      "Stripe's API, then try again or ask the provider",
  );
}

/** The error for an unreadable response of any status. */
export function unusableAnswer(cause?: unknown): AppError {
  return new AppError(
    "PAYMENT_PROVIDER_FAILED",
    "The payment provider sent an answer that cannot be read: check that PAYMENT_API_BASE is the " +
      "address of Stripe's API, then try again",
    { cause },
  );
}

function readAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(answer);
  // Zod's issues name fields and their types, never values.
  if (error !== undefined) throw unusableAnswer(error);
  return data;
}

function paymentMethodOf(method: z.output<typeof paymentMethodSchema>): PaymentMethod {
  const { card } = method;
  return {
    id: method.id,
    type: method.type,
    brand: card?.brand,
    last4: card?.last4 ?? method.us_bank_account?.last4 ?? method.sepa_debit?.last4 ?? undefined,
    expMonth: card?.exp_month,
    expYear: card?.exp_year,
    created: method.created,
  };
}
