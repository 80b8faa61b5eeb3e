import type { Plan } from "@steward/client";
import { useMutation } from "@tanstack/react-query";
import { Flag, Play, RotateCcw } from "lucide-react";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { cancellingTexts } from "../texts/cancelling.js";
import { planTexts } from "../texts/plan.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { InlineFailure } from "../ui/states.js";
import { CopyAs } from "./copy-as.js";
import { planSnippets } from "./snippets.js";

/** The actions that the plan's present status permits. */
export function PlanActions({ plan }: { readonly plan: Plan }) {
  const [isAsking, setAsking] = useState(false);
  const planId = plan.plan_id;
  const onSettled = async () => queries.invalidateQueries({ queryKey: ["plans"] });
  const running = useMutation({ mutationFn: async () => client.plans.run(planId), onSettled });
  const retrying = useMutation({
    mutationFn: async () => {
      await client.plans.retryPlan({ plan_id: planId });
      await client.plans.run(planId);
    },
    onSettled,
  });
  const finishing = useMutation({
    mutationFn: async () => client.plans.finishPlan({ plan_id: planId }),
    onSettled,
  });
  const cancelling = useMutation({
    mutationFn: async () => client.plans.cancelPlan({ plan_id: planId }),
    onSettled,
    onSuccess: () => {
      setAsking(false);
    },
  });
  const isActive = plan.status === "pending" || plan.status === "running";
  const error = running.error ?? retrying.error ?? finishing.error;
  const close = () => {
    setAsking(false);
  };
  return (
    <>
      {error !== null && <InlineFailure error={error} />}
      <CopyAs snippets={planSnippets(window.location.origin, planId)} />
      {plan.status === "failed" && (
        <Button
          size="small"
          disabled={retrying.isPending}
          title={planTexts.retryHint}
          onClick={() => {
            retrying.mutate();
          }}
        >
          <RotateCcw size={13} aria-hidden />
          {planTexts.retry}
        </Button>
      )}
      {isActive && (
        <>
          <Button
            look="danger"
            size="small"
            onClick={() => {
              setAsking(true);
            }}
          >
            {planTexts.cancel}
          </Button>
          {plan.wait_reason === "awaiting_steps" ? (
            <Button
              look="primary"
              size="small"
              disabled={finishing.isPending}
              title={planTexts.finishHint}
              onClick={() => {
                finishing.mutate();
              }}
            >
              <Flag size={13} aria-hidden />
              {planTexts.finish}
            </Button>
          ) : (
            <Button
              look="primary"
              size="small"
              disabled={running.isPending}
              title={planTexts.runHint}
              onClick={() => {
                running.mutate();
              }}
            >
              <Play size={13} aria-hidden />
              {running.isPending ? planTexts.running : planTexts.run}
            </Button>
          )}
        </>
      )}
      <Dialog
        open={isAsking}
        onClose={close}
        title={cancellingTexts.title(1)}
        hint={cancellingTexts.hint}
      >
        {cancelling.error !== null && <InlineFailure error={cancelling.error} />}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={close}>{cancellingTexts.keep}</Button>
          <Button
            look="danger"
            disabled={cancelling.isPending}
            onClick={() => {
              cancelling.mutate();
            }}
          >
            {planTexts.cancel}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
