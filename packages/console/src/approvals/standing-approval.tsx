import type { Approval } from "@steward/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { texts } from "../texts.js";
import { approvalTexts } from "../texts/approvals.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { InlineFailure } from "../ui/states.js";

/** Whether an approval still grants later statements of its shape. */
export function isStanding({ standing_until: until, revoked_at: revokedAt }: Approval): boolean {
  return until !== undefined && revokedAt === undefined && Date.parse(until) > Date.now();
}

/** Revokes a standing approval, once a second click has confirmed it. */
export function StandingApproval({ approvalId }: { readonly approvalId: string }) {
  const [isAsking, setAsking] = useState(false);
  const revoke = useMutation({
    mutationFn: async () => client.approvals.revokeApproval({ approval_id: approvalId }),
    onSuccess: () => {
      setAsking(false);
    },
    onSettled: async () => queries.invalidateQueries(),
  });
  const close = () => {
    setAsking(false);
    revoke.reset();
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 border-t bg-raised p-4">
      <p className="text-sm text-muted">{approvalTexts.stands}</p>
      <Button
        look="danger"
        onClick={() => {
          setAsking(true);
        }}
      >
        {approvalTexts.revoke}
      </Button>
      {isAsking && (
        <Dialog
          open
          onClose={close}
          title={approvalTexts.revokeTitle}
          hint={approvalTexts.revokeHint}
        >
          {revoke.error !== null && <InlineFailure error={revoke.error} />}
          <div className="mt-5 flex justify-end gap-2">
            <Button onClick={close}>{texts.dialog.cancel}</Button>
            <Button
              look="danger"
              disabled={revoke.isPending}
              onClick={() => {
                revoke.mutate();
              }}
            >
              {approvalTexts.revokeNow}
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
