/** A setup intent: what a browser needs to save a payment method (Contract §4.5). */
export interface SetupIntent {
  readonly id: string;
  /** For the customer's browser only; never logged. */
  readonly clientSecret: string;
  readonly customerId: string;
}

/** A saved payment method. What its type does not have is absent. */
export interface PaymentMethod {
  readonly id: string;
  /** Such as `card` or `sepa_debit`. */
  readonly type: string;
  readonly brand: string | undefined;
  readonly last4: string | undefined;
  /** 1 to 12. */
  readonly expMonth: number | undefined;
  readonly expYear: number | undefined;
  /** Seconds since the Unix epoch, as the provider counts. */
  readonly created: number;
}

/**
 * The company that moves the money. Every call ends within the provider's time-out. Errors
 * (Decision §8): `NOT_FOUND`, `INVALID_ARGUMENT`, `PAYMENT_CONFLICT`, `PAYMENT_RATE_LIMITED` with the
 * time to wait, `PAYMENT_TIMEOUT`, `PAYMENT_PROVIDER_FAILED`; no secret in any of them.
 */
export interface PaymentProvider {
  /**
   * Makes a customer that names its organization. @returns its id.
   * @param idempotencyKey the same key and organization give the same customer.
   */
  createCustomer(orgId: string, idempotencyKey: string): Promise<string>;

  /**
   * The organization that a customer names at the provider, where only the provider's account can write it.
   * @returns `undefined` when it names none. @throws AppError `NOT_FOUND` for an unknown customer.
   */
  organizationNamedBy(customerId: string): Promise<string | undefined>;

  /**
   * Prepares to save a payment method for a customer.
   * @param idempotencyKey the same key and customer give the same intent; absent: always a new one.
   */
  createSetupIntent(customerId: string, idempotencyKey: string | undefined): Promise<SetupIntent>;

  /** The customer's saved payment methods, newest first. */
  listPaymentMethods(customerId: string): Promise<readonly PaymentMethod[]>;

  /** The customer a payment method is attached to; `undefined` when to none, or it is unknown. */
  customerOf(paymentMethodId: string): Promise<string | undefined>;

  /** Takes a payment method away from its customer, for good. */
  detach(paymentMethodId: string): Promise<void>;
}

/** Remembers which customers at the provider belong to which organization. */
export interface CustomerBindings {
  /** The organization's customer: the one bound last. @throws AppError `STORE_UNAVAILABLE`. */
  customerOf(orgId: string): Promise<string | undefined>;

  /** The organization a customer belongs to. @throws AppError `STORE_UNAVAILABLE`. */
  organizationOf(customerId: string): Promise<string | undefined>;

  /**
   * Binds a customer to an organization: it becomes another one's only when it is rebound.
   * @returns false, with nothing changed, when it belongs to another organization.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  bind(orgId: string, customerId: string): Promise<boolean>;

  /** Makes a customer an organization's, whoever's it was. @throws AppError `STORE_UNAVAILABLE`. */
  rebind(orgId: string, customerId: string): Promise<void>;
}
