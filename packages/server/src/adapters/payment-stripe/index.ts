/** Payments through Stripe's API, with its own SDK. */
export { StripePaymentProvider, type StripeSettings } from "./stripe-provider.js";
