import { StewardError, type PlanSummary } from "@steward/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { cancellingTexts } from "../texts/cancelling.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { InlineFailure } from "../ui/states.js";

/** Cancels under way at a time, so that a long selection does not use up the organization's quota. */
const CONCURRENT_MAX = 4;

/** The actions on the selected plans. */
export default function CancelPlans(props: {
  readonly plans: readonly PlanSummary[];
  readonly onClear: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const active = props.plans.filter(({ status }) => status === "pending" || status === "running");
  const cancelling = useMutation({
    mutationFn: async () => cancelAll(active.map((plan) => plan.plan_id)),
    onSettled: async () => queries.invalidateQueries({ queryKey: ["plans"] }),
    onSuccess: () => {
      setAsking(false);
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-3 border-b bg-selected px-4 py-2 text-sm md:px-6">
      <span className="flex-1" role="status">
        {cancelling.data === undefined
          ? texts.plans.selected(props.plans.length)
          : outcomeOf(cancelling.data)}
      </span>
      {active.length > 0 && (
        <Button
          look="danger"
          size="small"
          onClick={() => {
            setAsking(true);
          }}
        >
          {cancellingTexts.cancel(active.length)}
        </Button>
      )}
      <Button look="quiet" size="small" onClick={props.onClear}>
        {texts.plans.unselect}
      </Button>
      <Dialog
        open={isAsking}
        onClose={() => {
          setAsking(false);
        }}
        title={cancellingTexts.title(active.length)}
        hint={cancellingTexts.hint}
      >
        {cancelling.error !== null && <InlineFailure error={cancelling.error} />}
        <div className="mt-5 flex justify-end gap-2">
          <Button
            onClick={() => {
              setAsking(false);
            }}
          >
            {cancellingTexts.keep}
          </Button>
          <Button
            look="danger"
            disabled={cancelling.isPending}
            onClick={() => {
              cancelling.mutate();
            }}
          >
            {cancellingTexts.cancel(active.length)}
          </Button>
        </div>
      </Dialog>
    </div>
  );
}

interface Outcome {
  readonly cancelled: number;
  readonly ended: number;
}

/** @throws the first error other than that a plan has ended in the meantime. */
async function cancelAll(planIds: readonly string[]): Promise<Outcome> {
  const waiting = [...planIds];
  let ended = 0;
  const worker = async () => {
    for (let planId = waiting.shift(); planId !== undefined; planId = waiting.shift()) {
      try {
        await client.plans.cancelPlan({ plan_id: planId });
      } catch (error) {
        if (!(error instanceof StewardError) || error.code !== "PLAN_NOT_ACTIVE") throw error;
        ended += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_MAX }, worker));
  return { cancelled: planIds.length - ended, ended };
}

function outcomeOf({ cancelled, ended }: Outcome): string {
  const done = cancellingTexts.done(cancelled);
  return ended === 0 ? done : `${done}. ${cancellingTexts.failed(ended)}`;
}
