import type { Plan, PlanStep } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useCallback, useDeferredValue, useMemo } from "react";
import { client } from "../data/client.js";
import { lazyPart } from "../data/load-script.js";
import { useShortcuts } from "../shell/shortcuts.js";
import { planTexts, stepTexts } from "../texts/plan.js";
import { texts } from "../texts.js";
import { AgentText } from "../ui/agent-text.js";
import { StatusBadge } from "../ui/badge.js";
import { CopyButton } from "../ui/copy.js";
import { Choices } from "../ui/facets.js";
import { Page } from "../ui/page.js";
import { Failure, Skeleton } from "../ui/states.js";
import { Time } from "../ui/time.js";
import { EventList } from "./event-list.js";
import { FailureBar } from "./failure-bar.js";
import { PlanActions } from "./plan-actions.js";
import { usePlanFeed, type PlanFeed } from "./plan-feed.js";
import type { GraphStep } from "./plan-graph.js";
import { StepTable } from "./step-table.js";
import { Waterfall } from "./waterfall.js";

const PlanGraph = lazyPart(() => import("./plan-graph.js"));
const StepDrawer = lazyPart(() => import("./step-drawer.js"));

/** How often a plan that is not over is read again even if no event arrives, in ms. */
const REFRESH_MS = 5000;
const PLACEHOLDER_ROWS = 8;

/** One plan: its steps as a graph, a waterfall or a table, its events, and one step in detail. */
export default function PlanPage() {
  const { planId } = useParams({ from: "/plans/$planId" });
  const { data, error, refetch } = useQuery({
    queryKey: ["plans", "plan", planId],
    queryFn: async ({ signal }) => client.plans.getPlan({ plan_id: planId }, { signal }),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : REFRESH_MS),
  });
  if (data !== undefined) return <PlanView plan={data} />;
  return (
    <Page title={planTexts.title}>
      {error === null ? (
        <Skeleton rows={PLACEHOLDER_ROWS} />
      ) : (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function PlanView({ plan }: { readonly plan: Plan }) {
  const search = useSearch({ from: "/plans/$planId" });
  const navigate = useNavigate({ from: "/plans/$planId" });
  const feed = usePlanFeed(plan.plan_id, isOver(plan));
  const view = search.view ?? "graph";
  // The chosen view is marked at once; the steps in that view are drawn in pieces that let other input pass.
  const drawnView = useDeferredValue(view);
  const open = useCallback(
    (step: string | undefined) => {
      void navigate({
        search: ({ view: shown }) => ({ ...(shown && { view: shown }), ...(step && { step }) }),
        replace: true,
      });
    },
    [navigate],
  );
  const show = (next: typeof view) => {
    void navigate({ search: (before) => ({ ...before, view: next }), replace: true });
  };
  useShortcuts({
    g: () => {
      show("graph");
    },
    w: () => {
      show("waterfall");
    },
    t: () => {
      show("table");
    },
    e: () => {
      show("events");
    },
  });
  const chosen = plan.steps.find((step) => step.step_id === search.step);
  return (
    <Page
      title={plan.name === "" ? texts.plans.unnamed : plan.name}
      subtitle={<Subtitle plan={plan} />}
      actions={<PlanActions plan={plan} />}
    >
      <div className="flex h-full min-h-0">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <div className="flex flex-wrap items-center gap-3 border-b px-4 py-2 md:px-6">
            <Choices
              label={planTexts.view}
              chosen={view}
              onChoose={show}
              values={[
                { value: "graph", text: planTexts.graph, key: "g" },
                { value: "waterfall", text: planTexts.waterfall, key: "w" },
                { value: "table", text: planTexts.table, key: "t" },
                { value: "events", text: planTexts.events, key: "e" },
              ]}
            />
            <span className="text-xs text-muted tabular-nums" role="status">
              {planTexts.progress(
                plan.steps.filter(({ status }) => status === "completed").length,
                plan.steps.length,
              )}
            </span>
          </div>
          <FailureBar plan={plan} onOpen={open} />
          {plan.description !== "" && (
            <p className="border-b px-4 py-2 text-sm text-muted md:px-6">
              <AgentText>{plan.description}</AgentText>
            </p>
          )}
          <div className="min-h-0 flex-1">
            <Steps
              plan={plan}
              feed={feed}
              view={drawnView}
              chosen={chosen?.step_id}
              onOpen={open}
            />
          </div>
        </div>
        {chosen !== undefined && (
          <Suspense>
            <StepDrawer
              planId={plan.plan_id}
              step={chosen}
              attempts={feed.attempts.get(chosen.step_id) ?? []}
              onClose={() => {
                open(undefined);
              }}
            />
          </Suspense>
        )}
      </div>
    </Page>
  );
}

function Subtitle({ plan }: { readonly plan: Plan }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StatusBadge status={plan.wait_reason ?? plan.status} />
      <span>
        {planTexts.submitted} <Time at={plan.created_at} />
      </span>
      <span className="flex items-center font-mono text-xs">
        {plan.plan_id}
        <CopyButton text={plan.plan_id} label={planTexts.copyId} iconOnly />
      </span>
    </span>
  );
}

function Steps(props: {
  readonly plan: Plan;
  readonly feed: PlanFeed;
  readonly view: "graph" | "waterfall" | "table" | "events";
  readonly chosen: string | undefined;
  readonly onOpen: (stepId: string) => void;
}) {
  const { plan, feed, view, chosen, onOpen } = props;
  const graphSteps = useMemo(() => plan.steps.map(graphStepOf), [plan.steps]);
  switch (view) {
    case "graph":
      return (
        <Suspense fallback={<Skeleton rows={PLACEHOLDER_ROWS} />}>
          <PlanGraph steps={graphSteps} chosen={chosen} onOpen={onOpen} />
        </Suspense>
      );
    case "waterfall":
      return (
        <Waterfall steps={plan.steps} attempts={feed.attempts} chosen={chosen} onOpen={onOpen} />
      );
    case "table":
      return <StepTable steps={plan.steps} chosen={chosen} onOpen={onOpen} />;
    case "events":
      return <EventList events={feed.events} onOpen={onOpen} />;
  }
}

const graphStepCache = new WeakMap<PlanStep, GraphStep>();

/** A step as the graph shows it. The cache of answers keeps the object of a step that has not changed. */
function graphStepOf(step: PlanStep): GraphStep {
  const shown = graphStepCache.get(step) ?? toGraphStep(step);
  graphStepCache.set(step, shown);
  return shown;
}

function toGraphStep(step: PlanStep): GraphStep {
  const activity = step.wait_reason ?? step.status;
  const rows = step.row_count === undefined ? "" : ` · ${stepTexts.rowsOf(step.row_count)}`;
  return {
    id: step.step_id,
    name: step.name === "" ? step.step_id : step.name,
    after: step.depends_on,
    activity,
    note: `${texts.statuses[activity]}${rows}`,
  };
}

function isOver(plan: Plan | undefined): boolean {
  return plan !== undefined && plan.status !== "pending" && plan.status !== "running";
}
