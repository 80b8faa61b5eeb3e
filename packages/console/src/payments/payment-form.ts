import type { PaymentForm as FormOfServer } from "@steward/client";
import type { ComponentType } from "react";

/**
 * How a person saves a payment method. No adapter has a field for a card of its own: what is typed
 * goes to the payment provider and to nobody else.
 */
export type PaymentForm = ComponentType<{
  readonly form: FormOfServer;
  /** Called when the provider has saved a payment method and the browser is still here. */
  readonly onSaved: () => void;
}>;
