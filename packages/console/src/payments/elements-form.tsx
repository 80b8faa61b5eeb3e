import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { client } from "../data/client.js";
import { paymentTexts } from "../texts/payments.js";
import { Button } from "../ui/button.js";
import { InlineFailure, Skeleton } from "../ui/states.js";
import type { PaymentForm } from "./payment-form.js";
import { loadStripe, type StripeElements, type StripeJs } from "./stripe-js.js";

const PLACEHOLDER_ROWS = 2;

/** Stripe's own form in the page: frames of js.stripe.com, whose content this page cannot read. */
export const ElementsForm: PaymentForm = ({ form, onSaved }) => {
  const [isOpen, setOpen] = useState(false);
  useOwnDocument();
  return (
    <section className="border-b px-4 py-3 md:px-6">
      {isOpen ? (
        <OpenForm
          publishableKey={form.publishable_key ?? ""}
          onSaved={() => {
            setOpen(false);
            onSaved();
          }}
        />
      ) : (
        <Button
          look="primary"
          onClick={() => {
            setOpen(true);
          }}
        >
          {paymentTexts.add}
        </Button>
      )}
    </section>
  );
};

function OpenForm(props: { readonly publishableKey: string; readonly onSaved: () => void }) {
  const { publishableKey } = props;
  const opened = useQuery({
    queryKey: ["payment-form", publishableKey],
    queryFn: async () => {
      const stripe = await loadStripe(publishableKey).catch((cause: unknown) => {
        throw new Error(paymentTexts.formFailed, { cause });
      });
      const { customer_id } = await client.billing.createPaymentCustomer();
      const { client_secret: clientSecret } = await client.billing.createSetupIntent({
        customer_id,
      });
      const isDark = document.documentElement.dataset["theme"] === "dark";
      const appearance = { theme: isDark ? "night" : "stripe" } as const;
      return { stripe, elements: stripe.elements({ clientSecret, appearance }) };
    },
    // A setup intent saves one payment method.
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  return (
    <div className="max-w-lg">
      <h2 className="mb-3 text-sm font-medium">{paymentTexts.formTitle}</h2>
      {opened.isPending && <Skeleton rows={PLACEHOLDER_ROWS} />}
      {opened.error !== null && <InlineFailure error={opened.error} />}
      {opened.data !== undefined && <Fields {...opened.data} onSaved={props.onSaved} />}
    </div>
  );
}

function Fields(props: {
  readonly stripe: StripeJs;
  readonly elements: StripeElements;
  readonly onSaved: () => void;
}) {
  const { stripe, elements } = props;
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");
  useEffect(() => {
    if (place.current === null) return undefined;
    const element = elements.create("payment");
    element.on("ready", () => {
      setState("ready");
    });
    element.on("loaderror", () => {
      setState("failed");
    });
    element.mount(place.current);
    return () => {
      element.destroy();
    };
  }, [elements]);
  const save = useMutation({
    mutationFn: async () => {
      const { error } = await stripe.confirmSetup({
        ...{ elements, redirect: "if_required" },
        confirmParams: { return_url: window.location.href },
      });
      if (error !== undefined) throw new Error(error.message ?? paymentTexts.refused);
    },
    onSuccess: props.onSaved,
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {state === "loading" && <p className="text-sm text-muted">{paymentTexts.formLoading}</p>}
      {state === "failed" && <InlineFailure error={new Error(paymentTexts.formFailed)} />}
      <div ref={place} />
      {save.error !== null && <InlineFailure error={save.error} />}
      <div>
        <Button type="submit" look="primary" disabled={state !== "ready" || save.isPending}>
          {paymentTexts.save}
        </Button>
      </div>
    </form>
  );
}

/**
 * The security policy belongs to the document, and only the one that was opened at this page's
 * address may load Stripe's script. So a person who comes from another page, or goes to one, gets a
 * new document.
 */
function useOwnDocument(): void {
  useEffect(() => {
    const page = window.location.pathname;
    if (openedPath() !== page) window.location.reload();
    return () => {
      if (window.location.pathname !== page) window.location.reload();
    };
  }, []);
}

/** The path at which this document was opened. */
function openedPath(): string {
  const [opened] = performance.getEntriesByType("navigation");
  return opened === undefined ? "" : new URL(opened.name).pathname;
}
