import Stripe from "stripe";
import { AppError } from "@steward/kernel/errors.js";
import type {
  PaymentMethod,
  PaymentPages,
  PaymentProvider,
  SetupIntent,
  SetupPage,
} from "../../payments/ports.js";
import {
  customerIdOf,
  customerOf,
  organizationNamedBy,
  pageOf,
  setupIntentOf,
  setupPageOf,
} from "./answers.js";
import { readApiBase } from "./api-base.js";
import { checkedFetch } from "./checked-fetch.js";
import { providerError } from "./provider-error.js";

export interface StripeSettings {
  /** Never logged. */
  readonly secretKey: string;
  /** Replaces Stripe's own base URL. */
  readonly apiBase?: string;
  /** Time limit of one request, in ms; default {@link REQUEST_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
}

/** Default time limit of one request, in ms: a person is waiting. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Retries after Stripe did not respond or asked for a retry. */
const RETRIES_MAX = 1;
/** Payment methods per page: Stripe's maximum. */
const PAGE_MAX = 100;
/** Limit of pages read of one customer's payment methods. */
const PAGES_MAX = 10;

/** The metadata key for a customer's organization. */
const ORGANIZATION = "steward_org_id";

/** Payment provider that uses Stripe's API. */
export class StripePaymentProvider implements PaymentProvider, PaymentPages {
  readonly #settings: StripeSettings;
  readonly #endpoint: Pick<Stripe.StripeConfig, "protocol" | "host" | "port">;
  #client: Stripe | undefined;

  /** @throws AppError `INVALID_ARGUMENT` for an invalid base URL. */
  constructor(settings: StripeSettings) {
    this.#settings = settings;
    this.#endpoint = settings.apiBase === undefined ? {} : readApiBase(settings.apiBase);
  }

  createCustomer(orgId: string, idempotencyKey: string): Promise<string> {
    return this.#ask("customer", async (stripe) => {
      const metadata = { [ORGANIZATION]: orgId };
      return customerIdOf(await stripe.customers.create({ metadata }, { idempotencyKey }));
    });
  }

  organizationNamedBy(customerId: string): Promise<string | undefined> {
    return this.#ask("customer", async (stripe) =>
      organizationNamedBy(await stripe.customers.retrieve(customerId), ORGANIZATION),
    );
  }

  createSetupIntent(customerId: string, idempotencyKey: string | undefined): Promise<SetupIntent> {
    return this.#ask("customer", async (stripe) => {
      const answer = await stripe.setupIntents.create(
        { customer: customerId },
        idempotencyKey === undefined ? {} : { idempotencyKey },
      );
      return setupIntentOf(answer, customerId);
    });
  }

  createSetupPage(customerId: string, returnUrl: string): Promise<SetupPage> {
    return this.#ask("customer", async (stripe) => {
      const answer = await stripe.checkout.sessions.create({
        mode: "setup",
        customer: customerId,
        // Without a list of types, Stripe requires a currency, which nothing here has.
        allowed_payment_method_types: ["card"],
        success_url: returnUrl,
        cancel_url: returnUrl,
      });
      return setupPageOf(answer);
    });
  }

  listPaymentMethods(customerId: string): Promise<readonly PaymentMethod[]> {
    return this.#ask("customer", async (stripe) => {
      const methods: PaymentMethod[] = [];
      let cursor = {};
      // The loop counts pages, because even a short page may be followed by another one.
      for (let pages = 1; pages <= PAGES_MAX; pages += 1) {
        const query = { limit: PAGE_MAX, ...cursor };
        const page = pageOf(
          await stripe.customers.listPaymentMethods(customerId, query),
          customerId,
        );
        methods.push(...page.methods);
        if (page.nextAfter === undefined) break;
        cursor = { starting_after: page.nextAfter };
      }
      return methods;
    });
  }

  async customerOf(paymentMethodId: string): Promise<string | undefined> {
    try {
      return await this.#ask("payment method", async (stripe) =>
        customerOf(await stripe.paymentMethods.retrieve(paymentMethodId)),
      );
    } catch (error) {
      if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
      throw error;
    }
  }

  async detach(paymentMethodId: string): Promise<void> {
    await this.#ask("payment method", async (stripe) =>
      customerOf(await stripe.paymentMethods.detach(paymentMethodId)),
    );
  }

  async #ask<Answer>(
    sought: Parameters<typeof providerError>[1],
    question: (stripe: Stripe) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await question(this.#open());
    } catch (error) {
      throw providerError(error, sought);
    }
  }

  /**
   * The client is created on first use, because the SDK's constructor throws for a malformed key.
   */
  #open(): Stripe {
    this.#client ??= new Stripe(this.#settings.secretKey, {
      ...this.#endpoint,
      timeout: this.#settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
      maxNetworkRetries: RETRIES_MAX,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(checkedFetch),
    });
    return this.#client;
  }
}
