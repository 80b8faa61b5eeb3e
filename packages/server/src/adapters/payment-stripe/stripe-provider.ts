import Stripe from "stripe";
import { AppError } from "../../kernel/errors.js";
import type { PaymentMethod, PaymentProvider, SetupIntent } from "../../payments/ports.js";
import { readApiBase } from "./api-base.js";
import { providerError } from "./provider-error.js";

/** How Stripe is reached. */
export interface StripeSettings {
  /** Never logged. */
  readonly secretKey: string;
  /** Another base URL than Stripe's own. */
  readonly apiBase?: string;
  /** Milliseconds one request may take; {@link REQUEST_TIMEOUT_MS} unless said otherwise. */
  readonly timeoutMs?: number;
}

/** Milliseconds one request may take: a person waits. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Requests sent again after a failure in which Stripe did not answer, or said to try again. */
const RETRIES_MAX = 1;
/** Payment methods of one customer that are read. */
const PAYMENT_METHODS_MAX = 1000;
/** Payment methods on a page: the most that Stripe sends. */
const PAGE_MAX = 100;

/** Payments through Stripe's API. */
export class StripePaymentProvider implements PaymentProvider {
  readonly #settings: StripeSettings;
  readonly #endpoint: Pick<Stripe.StripeConfig, "protocol" | "host" | "port">;
  #client: Stripe | undefined;

  /** @throws AppError `INVALID_ARGUMENT` when the base URL cannot be one. */
  constructor(settings: StripeSettings) {
    this.#settings = settings;
    this.#endpoint = settings.apiBase === undefined ? {} : readApiBase(settings.apiBase);
  }

  createSetupIntent(customerId: string, idempotencyKey: string | undefined): Promise<SetupIntent> {
    return this.#ask(async (stripe) => {
      const intent = await stripe.setupIntents.create(
        { customer: customerId },
        idempotencyKey === undefined ? {} : { idempotencyKey },
      );
      return {
        id: intent.id,
        clientSecret: intent.client_secret ?? "",
        customerId: idOf(intent.customer) ?? customerId,
      };
    });
  }

  listPaymentMethods(customerId: string): Promise<readonly PaymentMethod[]> {
    return this.#ask(async (stripe) => {
      const methods = await stripe.customers
        .listPaymentMethods(customerId, { limit: PAGE_MAX })
        .autoPagingToArray({ limit: PAYMENT_METHODS_MAX });
      return methods.map(paymentMethodOf);
    });
  }

  async customerOf(paymentMethodId: string): Promise<string | undefined> {
    try {
      return await this.#ask(async (stripe) =>
        idOf((await stripe.paymentMethods.retrieve(paymentMethodId)).customer),
      );
    } catch (error) {
      if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
      throw error;
    }
  }

  async detach(paymentMethodId: string): Promise<void> {
    await this.#ask((stripe) => stripe.paymentMethods.detach(paymentMethodId));
  }

  async #ask<Answer>(question: (stripe: Stripe) => Promise<Answer>): Promise<Answer> {
    try {
      return await question(this.#open());
    } catch (error) {
      throw providerError(error);
    }
  }

  /** The client is made when it is first needed: the SDK refuses to be made with a bad key. */
  #open(): Stripe {
    this.#client ??= new Stripe(this.#settings.secretKey, {
      ...this.#endpoint,
      timeout: this.#settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
      maxNetworkRetries: RETRIES_MAX,
      telemetry: false,
    });
    return this.#client;
  }
}

function paymentMethodOf(method: Stripe.PaymentMethod): PaymentMethod {
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

/** What Stripe refers to comes as an id, or as the object itself. */
function idOf(reference: string | { readonly id: string } | null): string | undefined {
  return typeof reference === "string" ? reference : reference?.id;
}
