import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, Loader } from "lucide-react";
import { useRef } from "react";
import { client } from "../data/client.js";
import { useMay } from "../data/session.js";
import { connectTexts } from "../texts/connect.js";
import { texts } from "../texts.js";
import { AgentText } from "../ui/agent-text.js";
import { Facts } from "../ui/facts.js";
import { Failure } from "../ui/states.js";
import { Time } from "../ui/time.js";

/** How often the page asks whether a call has arrived, in ms. */
const REFRESH_MS = 2000;

/** Whether an agent has called since the page was opened: it has submitted a plan, or a call was counted. */
export function FirstCall() {
  const readsPlans = useMay("plans:read");
  const readsUsage = useMay("usage:read");
  const before = useRef<{ readonly plan: string | undefined; readonly calls: number }>(undefined);
  const { data, error, refetch } = useQuery({
    queryKey: ["connect", readsPlans, readsUsage],
    queryFn: async ({ signal }) => {
      const today = new Date().toISOString().slice(0, 10);
      const [plans, days] = await Promise.all([
        readsPlans ? client.plans.listPlans({ limit: 1 }, { signal }) : undefined,
        readsUsage ? client.billing.getUsage({ from: today, to: today }, { signal }) : undefined,
      ]);
      const found = {
        plan: plans?.plans[0],
        calls: days?.reduce((sum, { action_count: count }) => sum + count, 0),
      };
      before.current ??= { plan: found.plan?.plan_id, calls: found.calls ?? 0 };
      const isNew =
        found.plan?.plan_id !== before.current.plan || (found.calls ?? 0) > before.current.calls;
      return { ...found, isNew };
    },
    refetchInterval: REFRESH_MS,
    // Another visit of the page begins anew.
    gcTime: 0,
  });
  if (data === undefined && error !== null) {
    return <Failure error={error} onRetry={() => void refetch()} />;
  }
  const isNew = data?.isNew === true;
  return (
    <section aria-label={connectTexts.check} className="flex flex-col gap-4 rounded-lg border p-4">
      <div role="status" className="flex items-start gap-3">
        {isNew ? (
          <CircleCheck size={20} aria-hidden className="shrink-0 text-good" />
        ) : (
          <Loader size={20} aria-hidden className="shrink-0 animate-spin text-busy" />
        )}
        <div>
          <p className="text-sm font-medium">
            {isNew ? connectTexts.received : connectTexts.waiting}
          </p>
          <p className="text-sm text-muted">
            {isNew ? connectTexts.receivedHint : connectTexts.waitingHint}
          </p>
        </div>
      </div>
      {data !== undefined && (
        <Facts
          facts={[
            [
              connectTexts.newestPlan,
              data.plan === undefined ? (
                readsPlans ? (
                  connectTexts.noPlanYet
                ) : undefined
              ) : (
                <span className="flex flex-wrap gap-x-2">
                  <Link
                    to="/plans/$planId"
                    params={{ planId: data.plan.plan_id }}
                    className="text-accent underline"
                  >
                    <AgentText>
                      {data.plan.name === "" ? texts.plans.unnamed : data.plan.name}
                    </AgentText>
                  </Link>
                  <Time at={data.plan.created_at} />
                </span>
              ),
            ],
            [connectTexts.callsToday, data.calls],
          ]}
        />
      )}
    </section>
  );
}
