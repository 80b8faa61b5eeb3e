import type { Plan } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { client } from "../data/client.js";
import { texts } from "../texts.js";
import { StatusBadge } from "../ui/badge.js";
import { CopyButton } from "../ui/copy.js";
import { Page } from "../ui/page.js";
import { Failure, Skeleton } from "../ui/states.js";
import { Time } from "../ui/time.js";
import { StepTable } from "./step-table.js";

/** How often a plan that is not over is read again, in ms. */
const REFRESH_MS = 2000;
const PLACEHOLDER_ROWS = 8;

/** One plan: its state and its steps. */
export default function PlanPage() {
  const { planId } = useParams({ from: "/plans/$planId" });
  const { data, error, refetch } = useQuery({
    queryKey: ["plans", "plan", planId],
    queryFn: async ({ signal }) => client.plans.get(planId, { signal }),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : REFRESH_MS),
  });
  if (data !== undefined) return <PlanView plan={data} />;
  return (
    <Page title={texts.plan.title}>
      {error === null ? (
        <Skeleton rows={PLACEHOLDER_ROWS} />
      ) : (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function PlanView({ plan }: { readonly plan: Plan }) {
  return (
    <Page
      title={plan.name === "" ? texts.plans.unnamed : plan.name}
      subtitle={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StatusBadge status={plan.status} />
          <span>
            {texts.plan.submitted} <Time at={plan.created_at} />
          </span>
          <span className="flex items-center font-mono text-xs">
            {plan.plan_id}
            <CopyButton text={plan.plan_id} label={texts.plan.copyId} iconOnly />
          </span>
        </span>
      }
    >
      <StepTable steps={plan.steps} />
    </Page>
  );
}

function isOver(plan: Plan | undefined): boolean {
  return plan !== undefined && plan.status !== "pending" && plan.status !== "running";
}
