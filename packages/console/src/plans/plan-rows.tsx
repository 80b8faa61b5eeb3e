import type { PlanSummary } from "@steward/client";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { lazyPart } from "../data/load-script.js";
import { useShortcuts } from "../shell/shortcuts.js";
import { texts } from "../texts.js";
import { AgentText } from "../ui/agent-text.js";
import { StatusBadge } from "../ui/badge.js";
import { classNames } from "../ui/class-names.js";
import { useRowWindow } from "../ui/row-window.js";
import { Time, useNow } from "../ui/time.js";
import { durationText } from "../ui/time-texts.js";

const PlanNews = lazyPart(() => import("./plan-news.js"));

/** Height of a row, in pixels. */
const ROW_HEIGHT = 52;
/** Rows below the visible ones from which the next page is loaded. */
const LOAD_AHEAD = 20;
/** How far the list may be scrolled and still count as at its top, in pixels. */
const TOP_PIXELS = 4;
const COLUMNS =
  "grid grid-cols-[1.75rem_minmax(0,1fr)_auto] md:grid-cols-[1.75rem_minmax(0,1fr)_9rem_10rem_5.5rem_7.5rem] items-center gap-x-3 px-4 md:px-6";

interface PlanRowsProps {
  readonly plans: readonly PlanSummary[];
  readonly selection: ReadonlySet<string>;
  readonly onSelect: (selection: ReadonlySet<string>) => void;
  readonly onAtTop: (isAtTop: boolean) => void;
  readonly onSession: (session: string) => void;
  readonly more: {
    readonly exists: boolean;
    readonly isLoading: boolean;
    readonly load: () => void;
  };
}

/** The rows of the loaded plans, of which only the visible ones are in the document. */
export function PlanRows({ plans, selection, onSelect, onAtTop, onSession, more }: PlanRowsProps) {
  const list = useRowWindow(plans.length, ROW_HEIGHT);
  const last = list.rows.at(-1) ?? 0;
  const { exists, isLoading, load } = more;
  useEffect(() => {
    if (exists && !isLoading && last + LOAD_AHEAD >= plans.length) load();
  }, [exists, isLoading, last, load, plans.length]);
  const cursor = useCursor(plans, (index) => {
    list.scrollTo(index);
  });
  const toggle = (planId: string) => {
    const next = new Set(selection);
    if (!next.delete(planId)) next.add(planId);
    onSelect(next);
  };
  useShortcuts({
    x: () => {
      if (cursor !== undefined) toggle(cursor);
    },
  });
  const areAllSelected = plans.every((plan) => selection.has(plan.plan_id));
  return (
    <div
      ref={list.scroller}
      role="table"
      aria-label={texts.plans.title}
      aria-rowcount={plans.length + 1}
      className="min-h-0 flex-1 overflow-y-auto"
      onScroll={({ currentTarget }) => {
        onAtTop(currentTarget.scrollTop <= TOP_PIXELS);
      }}
    >
      <div role="rowgroup" className="sticky top-0 z-10 border-b bg-canvas">
        <div role="row" className={classNames(COLUMNS, "h-9 text-xs font-medium text-muted")}>
          <span role="columnheader" className="flex">
            <input
              type="checkbox"
              aria-label={texts.plans.selectAll}
              checked={areAllSelected}
              onChange={() => {
                onSelect(areAllSelected ? new Set() : new Set(plans.map((plan) => plan.plan_id)));
              }}
            />
          </span>
          <span role="columnheader">{texts.plans.columns.name}</span>
          <span role="columnheader">{texts.plans.columns.status}</span>
          <span role="columnheader" className="hidden md:block">
            {texts.plans.columns.session}
          </span>
          <span role="columnheader" className="hidden text-right md:block">
            {texts.plans.columns.duration}
          </span>
          <span role="columnheader" className="hidden text-right md:block">
            {texts.plans.columns.created}
          </span>
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: list.height }}>
        {list.rows.map((index) => {
          const plan = plans[index];
          if (plan === undefined) return undefined;
          return (
            <div
              key={plan.plan_id}
              role="row"
              aria-rowindex={index + 2}
              className={classNames(
                COLUMNS,
                "absolute inset-x-0 border-b hover:bg-hover",
                selection.has(plan.plan_id) && "bg-selected",
                cursor === plan.plan_id && "shadow-[inset_2px_0_0_var(--accent)]",
              )}
              style={{ height: ROW_HEIGHT, transform: `translateY(${list.topOf(index)}px)` }}
            >
              <PlanCells
                plan={plan}
                isSelected={selection.has(plan.plan_id)}
                onToggle={() => {
                  toggle(plan.plan_id);
                }}
                onSession={onSession}
              />
            </div>
          );
        })}
      </div>
      <div role="rowgroup">
        <div role="row">
          <p role="cell" aria-live="polite" className="px-6 py-4 text-center text-xs text-muted">
            {exists ? texts.plans.loadingMore : texts.plans.end(plans.length)}
          </p>
        </div>
      </div>
    </div>
  );
}

/** The plan that j and k move to and Enter opens; `undefined` until one of them is pressed. */
function useCursor(
  plans: readonly PlanSummary[],
  show: (index: number) => void,
): string | undefined {
  const navigate = useNavigate();
  const [planId, setPlanId] = useState<string | undefined>();
  const move = (by: number) => () => {
    const now = plans.findIndex((plan) => plan.plan_id === planId);
    const index = Math.min(Math.max(now + by, 0), plans.length - 1);
    setPlanId(plans[index]?.plan_id);
    show(index);
  };
  useShortcuts({
    j: move(1),
    k: move(-1),
    o: () => {
      if (planId !== undefined) void navigate({ to: "/plans/$planId", params: { planId } });
    },
  });
  return planId;
}

function PlanCells(props: {
  readonly plan: PlanSummary;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
  readonly onSession: (session: string) => void;
}) {
  const { plan } = props;
  const name = plan.name === "" ? texts.plans.unnamed : plan.name;
  const withNews = (part: "status" | "error", otherwise: ReactNode) =>
    plan.status === "completed" || plan.status === "cancelled" ? (
      otherwise
    ) : (
      <Suspense fallback={otherwise}>
        <PlanNews {...{ plan, part, otherwise }} />
      </Suspense>
    );
  return (
    <>
      <span role="cell" className="flex">
        <input
          type="checkbox"
          aria-label={texts.plans.select(name)}
          checked={props.isSelected}
          onChange={props.onToggle}
        />
      </span>
      <span role="cell" className="min-w-0">
        <Link
          to="/plans/$planId"
          params={{ planId: plan.plan_id }}
          className={classNames(
            "block truncate font-medium hover:underline",
            plan.name === "" && "text-muted",
          )}
        >
          <AgentText>{name}</AgentText>
        </Link>
        <span className="block truncate text-xs text-muted">
          {withNews(
            "error",
            <AgentText>{plan.description === "" ? plan.plan_id : plan.description}</AgentText>,
          )}
        </span>
      </span>
      <span role="cell">{withNews("status", <StatusBadge status={plan.status} />)}</span>
      <span role="cell" className="hidden min-w-0 md:block">
        {plan.session_id !== "" && (
          <button
            type="button"
            onClick={() => {
              props.onSession(plan.session_id);
            }}
            className="max-w-full truncate rounded font-mono text-xs text-muted hover:text-text hover:underline"
          >
            <AgentText>{plan.session_id}</AgentText>
          </button>
        )}
      </span>
      <span role="cell" className="hidden text-right text-xs text-muted tabular-nums md:block">
        <Duration plan={plan} />
      </span>
      <span role="cell" className="hidden text-right text-xs text-muted md:block">
        <Time at={plan.created_at} />
      </span>
    </>
  );
}

/** How long the plan has run; it counts on while the plan runs. */
function Duration({ plan }: { readonly plan: PlanSummary }) {
  const nowMs = useNow();
  if (plan.started_at === undefined) return "–";
  const endMs = plan.finished_at === undefined ? nowMs : Date.parse(plan.finished_at);
  return durationText(endMs - Date.parse(plan.started_at));
}
