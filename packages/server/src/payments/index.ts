/**
 * Payments: saved payment methods of an organization at the payment provider.
 *
 * Glossary. **Provider**: the company that moves the money. **Customer**: an organization as the
 * provider knows it. **Binding**: which organization a customer belongs to. **Setup intent**: the
 * permission to save one payment method.
 */
export { noCustomerBindings } from "./no-customer-bindings.js";
export { PaymentService } from "./payment-service.js";
export type { PaymentMethod } from "./ports.js";
