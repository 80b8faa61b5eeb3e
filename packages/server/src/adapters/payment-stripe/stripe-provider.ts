import Stripe from "stripe";
import { AppError } from "../../kernel/errors.js";
import type { PaymentMethod, PaymentProvider, SetupIntent } from "../../payments/ports.js";
import { customerIdOf, customerOf, organizationNamedBy, pageOf, setupIntentOf } from "./answers.js";
import { readApiBase } from "./api-base.js";
import { checkedFetch } from "./checked-fetch.js";
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
/** Payment methods on a page: the most that Stripe sends. */
const PAGE_MAX = 100;
/** Pages of one customer's payment methods that are read. */
const PAGES_MAX = 10;

/** The name under which the metadata of a customer names its organization. */
const ORGANIZATION = "steward_org_id";

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

  listPaymentMethods(customerId: string): Promise<readonly PaymentMethod[]> {
    return this.#ask("customer", async (stripe) => {
      const methods: PaymentMethod[] = [];
      let cursor = {};
      // The pages are counted, for a page may be short and still say that there are more.
      for (let pages = 1; pages <= PAGES_MAX; pages += 1) {
        const query = { limit: PAGE_MAX, ...cursor };
        const page = pageOf(await stripe.customers.listPaymentMethods(customerId, query));
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

  /** The client is made when it is first needed: the SDK refuses to be made with a bad key. */
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
