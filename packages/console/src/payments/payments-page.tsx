import { StewardError, type PaymentMethod } from "@steward/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { CreditCard, PlugZap } from "lucide-react";
import { type ComponentProps, Suspense, useState } from "react";
import { client, queries } from "../data/client.js";
import { lazyPart } from "../data/load-script.js";
import { useMay } from "../data/session.js";
import { paymentTexts } from "../texts/payments.js";
import { texts } from "../texts.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Page } from "../ui/page.js";
import { Empty, Failure, InlineFailure, Skeleton } from "../ui/states.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import type { PaymentForm } from "./payment-form.js";
import { RedirectForm } from "./redirect-form.js";
import { AgentText } from "../ui/agent-text.js";

const ElementsForm = lazyPart<ComponentProps<PaymentForm>>(() =>
  import("./elements-form.js").then(({ ElementsForm: form }) => ({ default: form })),
);

const PLACEHOLDER_ROWS = 3;

/** The organization's payment methods at the payment provider. */
export default function PaymentsPage() {
  const mayWrite = useMay("payments:write");
  const form = useQuery({
    queryKey: ["payment-methods", "form"],
    queryFn: ({ signal }) => client.billing.getPaymentForm({}, { signal }),
  });
  const methods = useQuery({
    queryKey: ["payment-methods", "list"],
    queryFn: ({ signal }) => client.billing.listPaymentMethods({}, { signal }),
  });
  const error = form.error ?? methods.error;
  return (
    <Page title={paymentTexts.title} subtitle={paymentTexts.subtitle}>
      {form.data !== undefined &&
        mayWrite &&
        (form.data.form === "redirect" ? (
          <RedirectForm form={form.data} onSaved={readAgain} />
        ) : (
          <Suspense fallback={<Skeleton rows={1} />}>
            <ElementsForm form={form.data} onSaved={readAgain} />
          </Suspense>
        ))}
      {error === null && methods.data === undefined && <Skeleton rows={PLACEHOLDER_ROWS} />}
      {error !== null && methods.data === undefined && (
        <Unavailable error={error} onRetry={readAgain} />
      )}
      {methods.data?.length === 0 && (
        <Empty
          title={paymentTexts.empty}
          hint={mayWrite ? paymentTexts.emptyHint : paymentTexts.noRight}
          icon={<CreditCard size={26} aria-hidden />}
        />
      )}
      {methods.data !== undefined && methods.data.length > 0 && (
        <Methods methods={methods.data} mayWrite={mayWrite} />
      )}
    </Page>
  );
}

/** Codes of errors after which the provider is worth another try. */
const OUTAGES: ReadonlySet<string> = new Set(["PAYMENT_PROVIDER_FAILED", "PAYMENT_TIMEOUT"]);

function Unavailable(props: { readonly error: Error; readonly onRetry: () => void }) {
  const { error, onRetry } = props;
  const code = error instanceof StewardError ? error.code : "";
  if (code === "PAYMENT_NOT_CONFIGURED") {
    return (
      <Empty
        title={paymentTexts.disabled}
        hint={paymentTexts.disabledHint}
        icon={<CreditCard size={26} aria-hidden />}
      />
    );
  }
  if (!OUTAGES.has(code)) return <Failure error={error} onRetry={onRetry} />;
  return (
    <Empty
      title={paymentTexts.unreachable}
      hint={paymentTexts.unreachableHint}
      icon={<PlugZap size={26} aria-hidden />}
    >
      <Button onClick={onRetry}>{texts.states.retry}</Button>
    </Empty>
  );
}

function Methods(props: {
  readonly methods: readonly PaymentMethod[];
  readonly mayWrite: boolean;
}) {
  const { columns: titles } = paymentTexts;
  const [removed, setRemoved] = useState<PaymentMethod | undefined>();
  return (
    <>
      <Table
        label={paymentTexts.label}
        rows={props.methods}
        keyOf={({ id }) => id}
        columns={[
          { title: titles.method, cell: (method) => <AgentText>{nameOf(method)}</AgentText> },
          { title: titles.expires, cell: (method) => <Expiry method={method} /> },
          { title: titles.added, cell: ({ created }) => <Time at={timeOf(created)} /> },
          {
            title: titles.change,
            cell: (method) =>
              props.mayWrite && (
                <Button
                  look="danger"
                  size="small"
                  aria-label={paymentTexts.removeNamed(nameOf(method))}
                  onClick={() => {
                    setRemoved(method);
                  }}
                >
                  {paymentTexts.remove}
                </Button>
              ),
          },
        ]}
      />
      {removed !== undefined && (
        <RemoveDialog
          method={removed}
          onClose={() => {
            setRemoved(undefined);
          }}
        />
      )}
    </>
  );
}

function Expiry({ method }: { readonly method: PaymentMethod }) {
  const { exp_month: month, exp_year: year } = method;
  if (month === null || year === null) return "–";
  const text = `${String(month).padStart(2, "0")}/${String(year)}`;
  // A card is valid to the end of the month.
  const isExpired = Date.now() >= Date.UTC(year, month, 1);
  if (!isExpired) return text;
  return (
    <span className="flex items-center gap-2">
      {text} <Badge tone="bad">{paymentTexts.expired}</Badge>
    </span>
  );
}

function RemoveDialog(props: { readonly method: PaymentMethod; readonly onClose: () => void }) {
  const { method, onClose } = props;
  const remove = useMutation({
    mutationFn: () => client.billing.detachPaymentMethod({ pm_id: method.id }),
    onSuccess: () => {
      onClose();
      readAgain();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={paymentTexts.removeTitle(nameOf(method))}
      hint={paymentTexts.removeHint}
    >
      {remove.error !== null && <InlineFailure error={remove.error} />}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{texts.dialog.cancel}</Button>
        <Button
          look="danger"
          disabled={remove.isPending}
          onClick={() => {
            remove.mutate();
          }}
        >
          {paymentTexts.removeForGood}
        </Button>
      </div>
    </Dialog>
  );
}

function nameOf({ type, brand, last4 }: PaymentMethod): string {
  const kind = (brand ?? type).replaceAll("_", " ");
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  return last4 === null ? name : `${name} ${paymentTexts.ending(last4)}`;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function readAgain(): void {
  void queries.invalidateQueries({ queryKey: ["payment-methods"] });
}
