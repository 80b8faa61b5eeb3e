/** A setup intent: what a browser needs to save a payment method (Contract §4.5). */
export interface SetupIntent {
  readonly id: string;
  /** For the customer's browser only; never logged. */
  readonly clientSecret: string;
  readonly customerId: string;
}

/** A saved payment method. Fields that its type lacks are absent. */
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
 * The payment provider. Every call ends within the provider's time-out. Errors (Decision §8):
 * `NOT_FOUND`, `INVALID_ARGUMENT`, `PAYMENT_CONFLICT`, `PAYMENT_RATE_LIMITED` with the time to
 * wait, `PAYMENT_TIMEOUT`, `PAYMENT_PROVIDER_FAILED`. No error contains a secret.
 */
export interface PaymentProvider {
  /**
   * Creates a customer whose metadata names its organization.
   * @returns the customer's id.
   * @param idempotencyKey the same key and organization give the same customer.
   */
  createCustomer(orgId: string, idempotencyKey: string): Promise<string>;

  /**
   * The organization that a customer's metadata names; only the owner of the provider's account can
   * write it.
   * @returns `undefined` when it names none.
   * @throws AppError `NOT_FOUND` for an unknown customer.
   */
  organizationNamedBy(customerId: string): Promise<string | undefined>;

  /**
   * Creates a setup intent for a customer.
   * @param idempotencyKey the same key and customer give the same intent; absent: every call
   * creates a new one.
   */
  createSetupIntent(customerId: string, idempotencyKey: string | undefined): Promise<SetupIntent>;

  /** The customer's saved payment methods, newest first. */
  listPaymentMethods(customerId: string): Promise<readonly PaymentMethod[]>;

  /**
   * The customer that a payment method is attached to. `undefined` for a detached or unknown
   * payment method.
   */
  customerOf(paymentMethodId: string): Promise<string | undefined>;

  /** Detaches a payment method from its customer. This cannot be undone. */
  detach(paymentMethodId: string): Promise<void>;
}

/** A page of the provider on which a person saves a payment method. */
export interface SetupPage {
  readonly id: string;
  /** For the person's browser. */
  readonly url: string;
}

/** The provider's own pages. Errors as those of {@link PaymentProvider}. */
export interface PaymentPages {
  /**
   * Creates a page that saves a payment method of a customer.
   * @param returnUrl where the page leads when the person has finished or given up.
   */
  createSetupPage(customerId: string, returnUrl: string): Promise<SetupPage>;
}

/** Stores which customers at the provider belong to which organization. */
export interface CustomerBindings {
  /**
   * The organization's most recently bound customer.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  customerOf(orgId: string): Promise<string | undefined>;

  /** The organization a customer belongs to. @throws AppError `STORE_UNAVAILABLE`. */
  organizationOf(customerId: string): Promise<string | undefined>;

  /**
   * Binds a customer to an organization, unless it belongs to another one.
   * @returns false, with nothing changed, when it belongs to another organization.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  bind(orgId: string, customerId: string): Promise<boolean>;

  /**
   * Binds a customer to an organization even when it belongs to another one.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  rebind(orgId: string, customerId: string): Promise<void>;
}
