import { dataOf, paymentFormSchema, setupPageSchema } from "@steward/protocol/rest";
import type { PaymentService } from "../../../payments/index.js";
import { PAYMENTS_PATH } from "../../console/content-policy.js";
import type { SignIn } from "../../services.js";
import { errors, json } from "../described-replies.js";
import { publicUrlOf } from "../public-url.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Billing"];

/** How a person saves a payment method, without this service ever seeing it. */
export function addPaymentFormRoutes(
  app: RestApp,
  payments: PaymentService,
  signIn: Pick<SignIn, "publicUrl" | "isSecure">,
): void {
  const read = {
    operationId: "getPaymentForm",
    summary: "Tell how people save a payment method",
    description:
      "On the payment provider's page, which is the default, or in the provider's own form, if PAYMENT_PUBLISHABLE_KEY is set.",
    tags,
    response: { 200: json("The form", dataOf(paymentFormSchema)), ...errors(403) },
  };
  app.get("/billing/payment-form", { schema: read }, () => {
    const { form } = payments;
    if (form.kind === "redirect") return { data: { form: form.kind } };
    return { data: { form: form.kind, publishable_key: form.publishableKey } };
  });
  const create = {
    operationId: "createSetupPage",
    summary: "Create a page of the provider that saves a payment method",
    description:
      "The payment provider's page saves a payment method of your organization's customer, which is created when there is none, " +
      "and leads back to the console.",
    tags,
    response: {
      200: json("The page", dataOf(setupPageSchema)),
      ...errors(403, 404, 409, 429, 502, 504),
    },
  };
  app.post("/billing/setup-pages", { schema: create }, async (request) => {
    const returnUrl = `${publicUrlOf(request, signIn)}${PAYMENTS_PATH}`;
    return { data: await payments.createSetupPage(request.context, returnUrl) };
  });
}
