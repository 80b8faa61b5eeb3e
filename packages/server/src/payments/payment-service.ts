import { createHash } from "node:crypto";
import type { Caller } from "../kernel/caller.js";
import { AppError } from "../kernel/errors.js";
import type { CustomerBindings, PaymentMethod, PaymentProvider, SetupIntent } from "./ports.js";

const CUSTOMER_ID = /^[A-Za-z0-9_-]{1,255}$/;
const PAYMENT_METHOD_ID = /^pm_[A-Za-z0-9_]{1,252}$/;

/**
 * Payment methods of the caller's own organization (Contract §4.5, Decision §8). Every operation asks
 * first whether the caller is a billing admin, then whether the request makes sense, and only then
 * for the provider.
 */
export class PaymentService {
  readonly #provider: PaymentProvider | undefined;
  readonly #customers: CustomerBindings;

  /** @param provider absent when no key is set: every operation then says so. */
  constructor(provider: PaymentProvider | undefined, customers: CustomerBindings) {
    this.#provider = provider;
    this.#customers = customers;
  }

  /**
   * Begins to save a payment method, and remembers whose customer it is.
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
    const key = idempotencyKey === undefined ? undefined : keyWithin(caller.orgId, idempotencyKey);
    const intent = await provider.createSetupIntent(customer, key);
    // Bound only now that the customer is known to exist; a rival may have been faster meanwhile.
    if (!(await this.#customers.bind(caller.orgId, customer))) throw foreignCustomer();
    return intent;
  }

  /** The saved payment methods; none when the organization has no customer yet. */
  async listPaymentMethods(caller: Caller): Promise<readonly PaymentMethod[]> {
    const provider = this.#requireProvider();
    const customer = await this.#customers.customerOf(caller.orgId);
    return customer === undefined ? [] : provider.listPaymentMethods(customer);
  }

  /**
   * Detaches a payment method of the organization's own customer.
   * @throws AppError `NOT_FOUND` for any other, without the provider being asked to detach it.
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

  #requireProvider(): PaymentProvider {
    if (this.#provider !== undefined) return this.#provider;
    throw new AppError(
      "PAYMENT_NOT_CONFIGURED",
      "Payment provider is not configured: set PAYMENT_SECRET_KEY",
    );
  }
}

function checkId(field: string, id: string | undefined, shape: RegExp, expected: string): string {
  if (id !== undefined && shape.test(id)) return id;
  const reason = id === undefined || id === "" ? "is missing" : `must be ${expected}`;
  throw new AppError("INVALID_ARGUMENT", `${field}: ${reason}`, { details: [{ field, reason }] });
}

/** Keys of two organizations never meet, though at the provider they share one account. */
function keyWithin(orgId: string, idempotencyKey: string): string {
  return createHash("sha256").update(`${orgId}\n${idempotencyKey}`).digest("hex");
}

function foreignCustomer(): AppError {
  return new AppError("POLICY_DENIED", "This customer belongs to another organization");
}
