import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Bookmark, Download, ListChecks } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { useWaitingApprovals } from "../approvals/waiting-approvals.js";
import { lazyPart } from "../data/load-script.js";
import { useShortcuts } from "../shell/shortcuts.js";
import { texts } from "../texts.js";
import { Button, buttonClass } from "../ui/button.js";
import { Choices, FilterChip } from "../ui/facets.js";
import { SearchField } from "../ui/field.js";
import { Page } from "../ui/page.js";
import { Empty, Failure, Skeleton } from "../ui/states.js";
import { hasFilters, type PlanFilters } from "./plan-filters.js";
import { usePlanList } from "./plan-list.js";
import { PlanRows } from "./plan-rows.js";

const WaitingFirst = lazyPart(() => import("../approvals/waiting-first.js"));
const CancelPlans = lazyPart(() => import("./cancel-plans.js"));
const ListActions = lazyPart(() => import("./list-actions.js"));

const PLACEHOLDER_ROWS = 10;
const STATUSES = ["pending", "running", "completed", "failed", "cancelled"] as const;

/** The plans of the organization: live, searched, filtered, cancelled and exported. */
export function PlansPage() {
  const filters = useSearch({ from: "/plans" });
  const navigate = useNavigate({ from: "/plans" });
  const [opened, setOpened] = useState<"views" | "export" | undefined>();
  const isWaiting = useWaitingApprovals().length > 0;
  const [isAtTop, setAtTop] = useState(true);
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const { query, plans, newer, showNewer } = usePlanList(filters, isAtTop);
  const change = (changes: {
    readonly [Name in keyof PlanFilters]: PlanFilters[Name] | undefined;
  }) => {
    const next = Object.entries({ ...filters, ...changes }).filter(
      ([, value]) => value !== undefined,
    );
    void navigate({ search: Object.fromEntries(next) as PlanFilters, replace: true });
  };
  const selected = plans.filter((plan) => selection.has(plan.plan_id));
  return (
    <Page
      title={texts.plans.title}
      subtitle={texts.plans.subtitle}
      actions={
        <Suspense fallback={<ActionButtons />}>
          {opened === undefined ? (
            <ActionButtons onOpen={setOpened} />
          ) : (
            <ListActions filters={filters} opened={opened} />
          )}
        </Suspense>
      }
    >
      <div className="flex h-full min-h-0 flex-col">
        {isWaiting && (
          <Suspense>
            <WaitingFirst />
          </Suspense>
        )}
        <Filters filters={filters} onChange={change} />
        {selected.length > 0 && (
          <Suspense>
            <CancelPlans
              plans={selected}
              onClear={() => {
                setSelection(new Set());
              }}
            />
          </Suspense>
        )}
        {newer > 0 && (
          <div className="flex justify-center border-b bg-selected py-1">
            <Button look="quiet" size="small" onClick={showNewer}>
              {texts.plans.newer(newer)}
            </Button>
          </div>
        )}
        {query.isPending && <Skeleton rows={PLACEHOLDER_ROWS} />}
        {query.error !== null && query.data === undefined && (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        )}
        {query.data !== undefined && plans.length === 0 && <NoPlans filters={filters} />}
        {plans.length > 0 && (
          <PlanRows
            plans={plans}
            selection={selection}
            onSelect={setSelection}
            onAtTop={setAtTop}
            onSession={(session) => {
              change({ session });
            }}
            more={{
              exists: query.hasNextPage,
              isLoading: query.isFetchingNextPage,
              load: () => void query.fetchNextPage(),
            }}
          />
        )}
      </div>
    </Page>
  );
}

/** The buttons of the menus, whose code is loaded at the first click; most visits need neither. */
function ActionButtons({ onOpen }: { readonly onOpen?: (what: "views" | "export") => void }) {
  return (
    <>
      <Button onClick={() => onOpen?.("views")}>
        <Bookmark size={14} aria-hidden />
        {texts.plans.views}
      </Button>
      <Button onClick={() => onOpen?.("export")}>
        <Download size={14} aria-hidden />
        {texts.plans.export}
      </Button>
    </>
  );
}

function Filters(props: {
  readonly filters: PlanFilters;
  readonly onChange: (changes: {
    readonly [Name in keyof PlanFilters]: PlanFilters[Name] | undefined;
  }) => void;
}) {
  const { filters, onChange } = props;
  const search = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => search.current?.focus() });
  const { q, status, session } = filters;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2.5 md:px-6">
      <SearchField
        ref={search}
        label={texts.plans.search}
        hint={texts.plans.searchHint}
        value={q ?? ""}
        onChange={(text) => {
          onChange({ q: text === "" ? undefined : text });
        }}
      />
      <Choices
        label={texts.plans.status}
        chosen={status ?? "all"}
        values={[
          { value: "all", text: texts.plans.all },
          ...STATUSES.map((value) => ({ value, text: texts.statuses[value] })),
        ]}
        onChoose={(value) => {
          onChange({ status: value === "all" ? undefined : value });
        }}
      />
      {session !== undefined && (
        <FilterChip
          text={texts.plans.session(session)}
          clear={texts.plans.clear}
          onClear={() => {
            onChange({ session: undefined });
          }}
        />
      )}
    </div>
  );
}

function NoPlans({ filters }: { readonly filters: PlanFilters }) {
  const icon = <ListChecks size={26} aria-hidden />;
  if (!hasFilters(filters)) {
    return (
      <Empty title={texts.plans.empty} hint={texts.plans.emptyHint} icon={icon}>
        <Link to="/plans/new" className={buttonClass("primary")}>
          {texts.navigation.newPlan}
        </Link>
      </Empty>
    );
  }
  return (
    <Empty title={texts.plans.noMatch} hint={texts.plans.noMatchHint} icon={icon}>
      <Link to="/plans" className={buttonClass()}>
        {texts.plans.clear}
      </Link>
    </Empty>
  );
}
