import { dataOf, setupPageSchema } from "@steward/protocol/rest";
import type { PaymentService } from "../../../payments/index.js";
import { PAYMENTS_PATH } from "../../console/content-policy.js";
import type { SignIn } from "../../services.js";
import { errors, json } from "../described-replies.js";
import { publicUrlOf } from "../public-url.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Billing"];

/** Not derived, because the page leads back to the address that the request came to. */
export function addSetupPage(
  app: RestApp,
  payments: PaymentService,
  signIn: Pick<SignIn, "publicUrl" | "isSecure">,
): void {
  const schema = {
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
  app.post("/billing/setup-pages", { schema }, async (request) => {
    const returnUrl = `${publicUrlOf(request, signIn)}${PAYMENTS_PATH}`;
    return { data: await payments.createSetupPage(request.context, returnUrl) };
  });
}
