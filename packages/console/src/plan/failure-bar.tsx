import type { Plan } from "@steward/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { GitFork, TriangleAlert } from "lucide-react";
import { client } from "../data/client.js";
import { planTexts } from "../texts/plan.js";
import { AgentText } from "../ui/agent-text.js";
import { Button } from "../ui/button.js";
import { InlineFailure } from "../ui/states.js";

/** Which step of a plan failed first, why, what helps, and what can be done; nothing when none has failed. */
export function FailureBar(props: {
  readonly plan: Plan;
  readonly onOpen: (stepId: string) => void;
}) {
  const { plan_id: planId, steps } = props.plan;
  const step = steps.find(({ status }) => status === "failed");
  const stepId = step?.step_id ?? "";
  const { data } = useQuery({
    queryKey: ["plans", "hints", planId, stepId, step?.attempt],
    queryFn: async ({ signal }) =>
      client.plans.getStep({ plan_id: planId, step_id: stepId }, { signal }),
    enabled: step !== undefined,
  });
  const navigate = useNavigate();
  const forking = useMutation({
    mutationFn: async () => client.plans.forkPlan({ plan_id: planId, step_id: stepId }),
    onSuccess: async (fork) => navigate({ to: "/plans/$planId", params: { planId: fork.plan_id } }),
  });
  if (step === undefined) return undefined;
  const hints = data?.execution?.llm_context_update.augmentation_hints ?? [];
  return (
    <section
      aria-label={planTexts.failure}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-bad-soft px-4 py-2 text-sm text-bad md:px-6"
    >
      <TriangleAlert size={15} aria-hidden />
      <div className="min-w-0 flex-1">
        <p>
          <AgentText className="font-medium">{step.name === "" ? stepId : step.name}</AgentText>
          {": "}
          <AgentText>{step.error?.message ?? planTexts.noError}</AgentText>
        </p>
        {hints
          .filter((hint) => hint !== step.error?.message)
          .map((hint) => (
            <p key={hint} className="text-xs">
              <AgentText>{hint}</AgentText>
            </p>
          ))}
        {forking.error !== null && <InlineFailure error={forking.error} />}
      </div>
      <Button
        size="small"
        onClick={() => {
          props.onOpen(stepId);
        }}
      >
        {planTexts.openFailed}
      </Button>
      <Button
        size="small"
        title={planTexts.forkHint}
        disabled={forking.isPending}
        onClick={() => {
          forking.mutate();
        }}
      >
        <GitFork size={13} aria-hidden />
        {planTexts.fork}
      </Button>
    </section>
  );
}
