import {
  dataOf,
  setupIntentRequestSchema,
  setupIntentSchema,
  setupPageSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { PaymentService } from "../../../payments/index.js";
import { PAYMENTS_PATH } from "../../console/content-policy.js";
import type { SignIn } from "../../services.js";
import { errors, json } from "../described-replies.js";
import { publicUrlOf } from "../public-url.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Billing"];

/** Not derived, because of its header. */
export function addSetupIntent(app: RestApp, payments: PaymentService): void {
  const schema = {
    operationId: "createSetupIntent",
    summary: "Begin to save a payment method",
    description:
      "Stores that the customer belongs to your organization. Where callers are authenticated, the " +
      "customer must name it in its metadata steward_org_id at the payment provider, or be made by POST /billing/customers.",
    tags,
    body: setupIntentRequestSchema,
    response: {
      200: json("The provider's setup intent", dataOf(setupIntentSchema)),
      ...errors(403, 404, 409, 502, 504),
    },
  };
  const headers = z.object({
    "idempotency-key": z
      .string()
      .exactOptional()
      .describe("The same key with the same customer gives the same setup intent"),
  });
  app.post("/billing/setup-intent", { schema, config: { headers } }, async ({ body, context }) => {
    const intent = await payments.createSetupIntent(
      context,
      body.customer_id,
      context.idempotencyKey,
    );
    const { id, clientSecret, customerId } = intent;
    return { data: { id, client_secret: clientSecret, customer: customerId } };
  });
}

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
