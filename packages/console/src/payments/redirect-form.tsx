import { useMutation } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { client } from "../data/client.js";
import { paymentTexts } from "../texts/payments.js";
import { Button } from "../ui/button.js";
import { InlineFailure } from "../ui/states.js";
import type { PaymentForm } from "./payment-form.js";

/** Leads to the provider's page, which saves the payment method and leads back. */
export const RedirectForm: PaymentForm = () => {
  const open = useMutation({
    mutationFn: () => client.billing.createSetupPage(),
    onSuccess: ({ url }) => {
      window.location.assign(url);
    },
  });
  return (
    <section className="flex flex-wrap items-center gap-3 border-b px-4 py-3 md:px-6">
      <Button
        look="primary"
        disabled={open.isPending || open.isSuccess}
        onClick={() => {
          open.mutate();
        }}
      >
        <ExternalLink size={14} aria-hidden />
        {open.isPending || open.isSuccess ? paymentTexts.opening : paymentTexts.add}
      </Button>
      <p className="min-w-48 flex-1 text-sm text-muted">{paymentTexts.addHint}</p>
      {open.error !== null && <InlineFailure error={open.error} />}
    </section>
  );
};
