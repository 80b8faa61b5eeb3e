/** The page of the console on which people save payment methods. */
export const PAYMENTS_PATH = "/payment-methods";

/** Hosts of Stripe's form, as Stripe's documentation of content security policies names them. */
const STRIPE = {
  script: "https://js.stripe.com https://*.js.stripe.com",
  frames: "https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
  connect: "https://api.stripe.com",
} as const;

/**
 * The content security policy of the console's page. It runs only its own script and talks only to
 * this server. Its style sheets are files too; the nonce is for those that the editor of SQL and the
 * dialogs insert while they are open.
 * @param path the address that is opened.
 * @param hasStripeForm whether payment methods are saved in Stripe's form: then, on the page of
 * payment methods and on no other one, a script of Stripe may show its frames.
 */
export function contentPolicy(nonce: string, path: string, hasStripeForm: boolean): string {
  const isStripe = hasStripeForm && path === PAYMENTS_PATH;
  return [
    "default-src 'none'",
    `script-src 'self'${isStripe ? ` ${STRIPE.script}` : ""}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "worker-src 'self'",
    `connect-src 'self'${isStripe ? ` ${STRIPE.connect}` : ""}`,
    ...(isStripe ? [`frame-src ${STRIPE.frames}`] : []),
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");
}
