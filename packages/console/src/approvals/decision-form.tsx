import type { Approval } from "@steward/client";
import { useMutation } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import { type MouseEvent, useRef, useState } from "react";
import { client, queries } from "../data/client.js";
import { useShortcuts } from "../shell/shortcuts.js";
import { approvalTexts } from "../texts/approvals.js";
import { Button } from "../ui/button.js";
import { InlineFailure } from "../ui/states.js";
import { approvalProgress } from "./approval-progress.js";
import { RowsChoice } from "./rows-choice.js";
import { StandingChoice } from "./standing-choice.js";
import { useIsDecidedByMe } from "./waiting-approvals.js";

/** Length of a reason that the server accepts, in characters of one byte. */
const REASON_LENGTH_MAX = 1024;

/**
 * Approves or denies by keyboard alone: `a` or `d`, then a reason, then Enter. The decision names the
 * digest that was on the screen, so that something else can never be approved. Who has approved while
 * others still have to can only take it back, which denies it.
 */
export function DecisionForm({ approval }: { readonly approval: Approval }) {
  const hasApproved = useIsDecidedByMe()(approval);
  const [intended, setIntended] = useState<"approve" | "deny" | undefined>();
  const [reason, setReason] = useState("");
  const [standingSeconds, setStandingSeconds] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  // The digest of the approval as the person read it when they began to decide.
  const [digest, setDigest] = useState(approval.digest);
  const shown = String(approval.preview?.rows_changed ?? "");
  // The rows that the preview showed then: no more are approved, unless the person writes a number.
  const [rowsShown, setRowsShown] = useState(shown);
  const [rowsWritten, setRowsWritten] = useState<string | undefined>();
  const rows = rowsWritten ?? (intended === undefined ? shown : rowsShown);
  const deciding = useMutation({
    mutationFn: async (decision: "approve" | "deny") =>
      client.approvals[decision === "deny" ? "denyApproval" : "grantApproval"]({
        approval_id: approval.approval_id,
        digest,
        ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
        ...(decision === "deny" || standingSeconds === 0
          ? {}
          : { standing_seconds: standingSeconds }),
        ...(decision === "deny" || rows === "" ? {} : { rows_changed_max: Number(rows) }),
      }),
    onSuccess: () => {
      setIntended(undefined);
      setReason("");
    },
    onSettled: async () => queries.invalidateQueries(),
  });
  const begin = (decision: "approve" | "deny") => () => {
    setIntended(decision);
    setDigest(approval.digest);
    setRowsShown(shown);
    field.current?.focus();
  };
  // The button becomes the one that submits while it is clicked: without this, one click would decide.
  const beginByClick = (decision: "approve" | "deny") => (event: MouseEvent) => {
    event.preventDefault();
    begin(decision)();
  };
  useShortcuts({ ...(hasApproved ? {} : { a: begin("approve") }), d: begin("deny") });
  return (
    <form
      className="border-t bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (intended !== undefined) deciding.mutate(intended);
      }}
    >
      {deciding.error !== null && <InlineFailure error={deciding.error} />}
      {digest !== approval.digest && intended !== undefined && (
        <p role="alert" className="mb-2 text-sm text-warn">
          {approvalTexts.changed}
        </p>
      )}
      {hasApproved && (
        <p role="status" className="mb-2 text-sm font-medium text-good">
          {approvalTexts.counts(approvalProgress(approval))}
        </p>
      )}
      {!hasApproved && approval.standing_seconds_max !== undefined && (
        <StandingChoice
          secondsMax={approval.standing_seconds_max}
          seconds={standingSeconds}
          onChoose={setStandingSeconds}
        />
      )}
      {!hasApproved && <RowsChoice approval={approval} rows={rows} onChoose={setRowsWritten} />}
      <label htmlFor="reason" className="text-sm font-medium">
        {approvalTexts.reason}
      </label>
      <div className="mt-1 flex flex-wrap gap-2">
        <input
          ref={field}
          id="reason"
          value={reason}
          maxLength={REASON_LENGTH_MAX}
          aria-describedby="reason-hint"
          onChange={(event) => {
            setReason(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            setIntended(undefined);
            event.currentTarget.blur();
          }}
          className="h-8 min-w-40 flex-1 rounded-md border border-line-strong bg-canvas px-2.5 text-sm"
        />
        <Button
          type={intended === "deny" ? "submit" : "button"}
          look={intended === "deny" ? "primary" : "danger"}
          disabled={deciding.isPending}
          aria-keyshortcuts="d"
          {...(intended === "deny" ? {} : { onClick: beginByClick("deny") })}
        >
          <X size={14} aria-hidden />
          {intended === "deny"
            ? approvalTexts.denyNow
            : hasApproved
              ? approvalTexts.takeBack
              : approvalTexts.deny}
        </Button>
        {!hasApproved && (
          <Button
            type={intended === "approve" ? "submit" : "button"}
            look={intended === "deny" ? "secondary" : "primary"}
            disabled={deciding.isPending}
            aria-keyshortcuts="a"
            {...(intended === "approve" ? {} : { onClick: beginByClick("approve") })}
          >
            <Check size={14} aria-hidden />
            {intended === "approve" ? approvalTexts.approveNow : approvalTexts.approve}
          </Button>
        )}
      </div>
      <p id="reason-hint" className="mt-1.5 text-xs text-muted" aria-live="polite">
        {intended !== undefined
          ? approvalTexts.confirm[intended]
          : hasApproved
            ? approvalTexts.takeBackHint
            : approvalTexts.keys}
      </p>
    </form>
  );
}
