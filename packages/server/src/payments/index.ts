/**
 * Payments: payment methods that an organization has saved at the payment provider.
 *
 * Glossary. **Provider**: the company that processes payments. **Customer**: the provider's record
 * of an organization. **Binding**: the assignment of a customer to an organization. **Setup
 * intent**: the provider's permission to save one payment method.
 */
export { noCustomerBindings } from "./no-customer-bindings.js";
export { PaymentService, type PaymentForm } from "./payment-service.js";
export type { PaymentMethod } from "./ports.js";
