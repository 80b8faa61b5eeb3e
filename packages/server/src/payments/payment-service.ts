import { createHash } from "node:crypto";
import { isVouchedFor, type Caller } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import type {
  CustomerBindings,
  PaymentMethod,
  PaymentPages,
  PaymentProvider,
  SetupIntent,
  SetupPage,
} from "./ports.js";

const CUSTOMER_ID = /^[A-Za-z0-9_-]{1,255}$/;
const PAYMENT_METHOD_ID = /^pm_[A-Za-z0-9_]{1,252}$/;

/** How a person saves a payment method: on the provider's page, or in the provider's own form. */
export type PaymentForm =
  | { readonly kind: "redirect" }
  /** The publishable key is no secret: every browser that shows the form has it. */
  | { readonly kind: "elements"; readonly publishableKey: string };

/**
 * Payment methods of the caller's own organization (Contract §4.5, Decision §8). Every operation
 * first checks that the caller is a billing admin, then validates the request, and only then calls
 * the provider.
 */
export class PaymentService {
  readonly #provider: (PaymentProvider & PaymentPages) | undefined;
  readonly #customers: CustomerBindings;
  readonly #form: PaymentForm;

  /** @param provider absent when no API key is set: every operation then fails and says so. */
  constructor(
    provider: (PaymentProvider & PaymentPages) | undefined,
    customers: CustomerBindings,
    form: PaymentForm = { kind: "redirect" },
  ) {
    this.#provider = provider;
    this.#customers = customers;
    this.#form = form;
  }

  /** How people save payment methods. @throws AppError `PAYMENT_NOT_CONFIGURED`. */
  get form(): PaymentForm {
    this.#requireProvider();
    return this.#form;
  }

  /**
   * Creates a page of the provider on which the organization saves a payment method, and its
   * customer when it has none.
   */
  async createSetupPage(caller: Caller, returnUrl: string): Promise<SetupPage> {
    const customer = await this.ensureCustomer(caller);
    return this.#requireProvider().createSetupPage(customer, returnUrl);
  }

  /**
   * Creates a setup intent, and binds the customer to the caller's organization.
   * @throws AppError `POLICY_DENIED` also for another organization's customer; `INVALID_ARGUMENT`;
   * `PAYMENT_NOT_CONFIGURED`; those of {@link PaymentProvider}.
   */
  async createSetupIntent(
    caller: Caller,
    customerId: string | undefined,
    idempotencyKey?: string,
  ): Promise<SetupIntent> {
    const customer = checkId("customer_id", customerId, CUSTOMER_ID, "the provider's customer id");
    const provider = this.#requireProvider();
    const owner = await this.#customers.organizationOf(customer);
    if (owner !== undefined && owner !== caller.orgId) throw foreignCustomer();
    if (owner === undefined) await requireProof(provider, caller, customer);
    const key = idempotencyKey === undefined ? undefined : keyWithin(caller.orgId, idempotencyKey);
    const intent = await provider.createSetupIntent(customer, key);
    // The customer is bound only now that the provider has confirmed that it exists. A concurrent
    // request may have bound it to another organization meanwhile.
    if (!(await this.#customers.bind(caller.orgId, customer))) throw foreignCustomer();
    return intent;
  }

  /**
   * The organization's customer at the provider, created when there is none. A customer created
   * here names the organization, so it needs no proof of ownership.
   */
  async ensureCustomer(caller: Caller): Promise<string> {
    const provider = this.#requireProvider();
    const bound = await this.#customers.customerOf(caller.orgId);
    if (bound !== undefined) return bound;
    const customer = await provider.createCustomer(
      caller.orgId,
      keyWithin(caller.orgId, "the organization's customer"),
    );
    if (!(await this.#customers.bind(caller.orgId, customer))) throw foreignCustomer();
    return customer;
  }

  /**
   * Assigns a customer to another organization. Operators use it after a mistake or when two
   * organizations merge.
   * @throws AppError `INVALID_ARGUMENT`; `NOT_FOUND` for a customer that the provider does not
   * know.
   */
  async rebind(customerId: string, orgId: string): Promise<void> {
    const customer = checkId("customer_id", customerId, CUSTOMER_ID, "the provider's customer id");
    if (!isUuid(orgId)) throw invalidField("org_id", "must be the UUID of an organization");
    await this.#requireProvider().organizationNamedBy(customer);
    await this.#customers.rebind(orgId.toLowerCase(), customer);
  }

  /** The saved payment methods; empty when the organization has no customer yet. */
  async listPaymentMethods(caller: Caller): Promise<readonly PaymentMethod[]> {
    const provider = this.#requireProvider();
    const customer = await this.#customers.customerOf(caller.orgId);
    return customer === undefined ? [] : provider.listPaymentMethods(customer);
  }

  /**
   * Detaches a payment method of the organization's own customer.
   * @throws AppError `NOT_FOUND` for any other payment method; the provider is not asked to detach
   * it.
   */
  async detach(caller: Caller, paymentMethodId: string): Promise<void> {
    const id = checkId("pm_id", paymentMethodId, PAYMENT_METHOD_ID, "pm_ and letters or digits");
    const provider = this.#requireProvider();
    const customer = await this.#customers.customerOf(caller.orgId);
    if (customer === undefined || (await provider.customerOf(id)) !== customer) {
      throw new AppError("NOT_FOUND", "The organization has no payment method with this id");
    }
    await provider.detach(id);
  }

  #requireProvider(): PaymentProvider & PaymentPages {
    if (this.#provider !== undefined) return this.#provider;
    throw new AppError(
      "PAYMENT_NOT_CONFIGURED",
      "Payment provider is not configured: set PAYMENT_SECRET_KEY",
    );
  }
}

/**
 * Requires proof before an unbound customer is bound, because customer ids are no secrets: the
 * customer must name the organization at the provider. On unauthenticated loopback the check is
 * skipped, because the caller's organization is unverified too.
 */
async function requireProof(
  provider: PaymentProvider,
  caller: Caller,
  customer: string,
): Promise<void> {
  if (!isVouchedFor(caller)) return;
  const named = await provider.organizationNamedBy(customer);
  if (named?.toLowerCase() === caller.orgId) return;
  throw new AppError(
    "POLICY_DENIED",
    "customer_id: the customer does not name your organization at the payment provider: set its metadata " +
      `steward_org_id to ${caller.orgId} there, or have one made by POST /billing/customers`,
    { details: [{ field: "customer_id", reason: "does not name your organization" }] },
  );
}

function checkId(field: string, id: string | undefined, shape: RegExp, expected: string): string {
  if (id !== undefined && shape.test(id)) return id;
  const reason = id === undefined || id === "" ? "is missing" : `must be ${expected}`;
  throw new AppError("INVALID_ARGUMENT", `${field}: ${reason}`, { details: [{ field, reason }] });
}

/**
 * Qualifies an idempotency key with the organization, because all organizations share one account
 * at the provider.
 */
function keyWithin(orgId: string, idempotencyKey: string): string {
  return createHash("sha256").update(`${orgId}\n${idempotencyKey}`).digest("hex");
}

function foreignCustomer(): AppError {
  return new AppError("POLICY_DENIED", "This customer belongs to another organization");
}
