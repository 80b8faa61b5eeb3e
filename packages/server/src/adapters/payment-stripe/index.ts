/** Payments through Stripe's API, with its own SDK. */
export { StripePaymentProvider } from "./stripe-provider.js";
