import { billing, type PaymentMethod as PaymentMethodMessage } from "@steward/operations";
import type { PaymentMethod } from "../../payments/index.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** Saved payment methods at the payment provider (Contract §4.5, Decision §8). */
export function paymentOperations({
  payments,
}: Pick<Services, "payments">): readonly Implemented[] {
  return [
    implement(billing.createSetupIntent, async ({ input: { customer_id }, context }) => {
      const { id, clientSecret, customerId } = await payments.createSetupIntent(
        context,
        customer_id,
        context.idempotencyKey,
      );
      return { id, client_secret: clientSecret, customer: customerId };
    }),
    implement(billing.createPaymentCustomer, async ({ context }) => ({
      customer_id: await payments.ensureCustomer(context),
      org_id: context.orgId,
    })),
    implement(billing.rebindPaymentCustomer, async ({ input: { customer_id, org_id } }) => {
      await payments.rebind(customer_id, org_id);
      return { customer_id, org_id: org_id.toLowerCase() };
    }),
    implement(billing.listPaymentMethods, async ({ context }) =>
      (await payments.listPaymentMethods(context)).map(paymentMethodMessage),
    ),
    implement(billing.detachPaymentMethod, async ({ input: { pm_id }, context }) => {
      await payments.detach(context, pm_id);
      return { id: pm_id, detached: true as const };
    }),
    implement(billing.getPaymentForm, () => {
      const { form } = payments;
      return Promise.resolve(
        form.kind === "redirect"
          ? { form: form.kind }
          : { form: form.kind, publishable_key: form.publishableKey },
      );
    }),
  ];
}

function paymentMethodMessage(method: PaymentMethod): PaymentMethodMessage {
  return {
    id: method.id,
    type: method.type,
    brand: method.brand ?? null,
    last4: method.last4 ?? null,
    exp_month: method.expMonth ?? null,
    exp_year: method.expYear ?? null,
    created: method.created,
  };
}
