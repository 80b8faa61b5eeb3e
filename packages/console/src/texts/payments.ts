/** The texts of the page of payment methods, which only that page loads. */
export const paymentTexts = {
  title: "Payment methods",
  subtitle: "Stored by the payment provider; this server never sees a card's number",
  disabled: "Payments are not set up",
  disabledHint:
    "This server has no key of a payment provider. Its operator sets PAYMENT_SECRET_KEY and starts it again.",
  unreachable: "The payment provider does not answer",
  unreachableHint:
    "Nothing was changed. What is stored is safe at the provider; try again in a moment.",
  empty: "No payment method is stored",
  emptyHint: "Add one, which the payment provider stores. Agents go on working without one.",
  noRight: "You may see payment methods, and not change them.",
  add: "Add a payment method",
  addHint: "You continue on the page of the payment provider, which leads back here.",
  opening: "Opening the provider's page…",
  formTitle: "New payment method",
  formLoading: "Loading the provider's form…",
  formFailed:
    "The provider's form could not be loaded. An extension of the browser or the network may block js.stripe.com.",
  save: "Save the payment method",
  refused: "The payment provider did not save it.",
  label: "Stored payment methods",
  columns: { method: "Payment method", expires: "Expires", added: "Added", change: "Change" },
  ending: (last4: string) => `•••• ${last4}`,
  expired: "Expired",
  remove: "Remove",
  removeNamed: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeHint: "It can no longer be charged. To use it again, add it again.",
  removeForGood: "Remove for good",
} as const;
