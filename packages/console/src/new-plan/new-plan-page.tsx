import {
  StewardError,
  type PlanCheck,
  type StepCheck,
  type SubmitPlanRequest,
} from "@steward/client";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useDeferredValue, useEffect, useMemo, useState } from "react";
import { client } from "../data/client.js";
import { lazyPart } from "../data/load-script.js";
import { localValue } from "../data/local-value.js";
import type { GraphStep } from "../plan/plan-graph.js";
import { newPlanTexts } from "../texts/new-plan.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Field } from "../ui/field.js";
import { Page } from "../ui/page.js";
import { Empty, InlineFailure, Skeleton } from "../ui/states.js";
import { planScriptOf, type PlanScript } from "./plan-script.js";
import SqlEditor from "./sql-editor.js";

const PlanGraph = lazyPart(() => import("../plan/plan-graph.js"));

/** Time without a keystroke after which a plan is checked, in ms. */
const CHECK_AFTER_MS = 500;
const PLACEHOLDER_ROWS = 4;
const TONES = { permit: "good", deny: "bad", fails: "bad", approval: "warn" } as const;
const ACTIVITIES = {
  permit: "pending",
  deny: "failed",
  fails: "failed",
  approval: "awaiting_approval",
} as const;
/** What a check has found, the worst first. */
const FINDINGS = ["deny", "fails", "approval", "permit"] as const;
type Finding = (typeof FINDINGS)[number];

/** The draft is stored in the browser, so that it survives closing the page. */
const draft = localValue<{ readonly name: string; readonly text: string }>("new-plan", (kept) => {
  const { name, text } = (kept ?? {}) as { readonly name?: unknown; readonly text?: unknown };
  return { name: typeof name === "string" ? name : "", text: typeof text === "string" ? text : "" };
});

/** The page to write a plan: statements on one side; dependencies, rights and cost on the other. */
export default function NewPlanPage() {
  const { name, text } = draft.use();
  const script = useMemo(() => planScriptOf(text), [text]);
  const plan = { steps: [...script.steps], ...(name === "" ? {} : { name }) };
  const check = useCheck(plan, script);
  const navigate = useNavigate();
  const submitting = useMutation({
    mutationFn: async () => client.plans.submit(plan),
    onSuccess: ({ plan_id: planId }) => {
      draft.set({ name: "", text: "" });
      void navigate({ to: "/plans/$planId", params: { planId } });
    },
  });
  const isReady = script.steps.length > 0 && script.problems.length === 0 && !submitting.isPending;
  const submit = () => {
    if (isReady) submitting.mutate();
  };
  return (
    <Page
      title={newPlanTexts.title}
      subtitle={newPlanTexts.subtitle}
      actions={
        <Button
          look="primary"
          disabled={!isReady}
          onClick={submit}
          aria-keyshortcuts="Control+Enter"
        >
          {newPlanTexts.submit}
        </Button>
      }
    >
      <div className="flex h-full min-h-0 flex-col md:flex-row">
        <div className="flex min-h-80 flex-1 flex-col md:min-h-0 md:border-r">
          <div className="border-b px-4 py-3">
            <Field
              id="plan-name"
              label={newPlanTexts.name}
              value={name}
              maxLength={255}
              onChange={(event) => {
                draft.set({ name: event.target.value, text });
              }}
            />
          </div>
          <div className="min-h-64 flex-1 overflow-hidden">
            <SqlEditor
              value={text}
              onChange={(next) => {
                draft.set({ name: draft.get().name, text: next });
              }}
              onSubmit={submit}
            />
          </div>
          <p className="border-t px-4 py-2 text-xs text-muted">{newPlanTexts.help}</p>
        </div>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto">
          {submitting.error !== null && (
            <div className="border-b bg-bad-soft px-4 py-2">
              <InlineFailure error={submitting.error} />
            </div>
          )}
          <Consequences
            script={script}
            check={check.data}
            error={check.error}
            isChecking={check.isFetching}
          />
        </div>
      </div>
    </Page>
  );
}

/** The server's check of the draft, requested again when typing pauses. */
function useCheck(plan: SubmitPlanRequest, { steps, problems }: PlanScript) {
  const asked = JSON.stringify(plan);
  const [settled, setSettled] = useState(asked);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setSettled(asked);
    }, CHECK_AFTER_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [asked]);
  return useQuery({
    queryKey: ["plan-checks", settled],
    queryFn: async ({ signal }) =>
      client.plans.checkPlan(JSON.parse(settled) as SubmitPlanRequest, { signal }),
    enabled: steps.length > 0 && problems.length === 0 && settled === asked,
    placeholderData: keepPreviousData,
  });
}

function Consequences(props: {
  readonly script: PlanScript;
  readonly check: PlanCheck | undefined;
  readonly error: Error | null;
  readonly isChecking: boolean;
}) {
  const { script, check, error, isChecking } = props;
  const checks = new Map(check?.steps.map((each) => [each.step_id, each]));
  const steps = useDeferredValue(script.steps);
  if (steps.length === 0) return <Empty title={newPlanTexts.empty} hint={newPlanTexts.emptyHint} />;
  return (
    <>
      <div className="h-56 shrink-0 border-b">
        <Suspense fallback={<Skeleton rows={PLACEHOLDER_ROWS} />}>
          <PlanGraph
            steps={steps.map((step) => graphStepOf(step, checks.get(step.id)))}
            chosen={undefined}
            onOpen={(stepId) => {
              document.getElementById(`check-${stepId}`)?.scrollIntoView({ block: "nearest" });
            }}
          />
        </Suspense>
      </div>
      {script.problems.map(({ line, text }) => (
        <div
          key={`${line} ${text}`}
          className="border-b bg-warn-soft px-4 py-2 text-sm text-warn"
          role="status"
        >
          {newPlanTexts.problems[text](line)}
        </div>
      ))}
      {error !== null && <CheckFailure error={error} />}
      <div className="flex items-center gap-2 border-b px-4 py-2 text-sm" role="status">
        <span className="flex-1 font-medium">{newPlanTexts.dryRun}</span>
        {isChecking && <span className="text-xs text-muted">{newPlanTexts.checking}</span>}
        {check !== undefined && (
          <>
            <FindingBadge finding={worstOf(check)} />
            <span className="text-xs text-muted tabular-nums">
              {newPlanTexts.total(check.aau, check.cost_usd)}
            </span>
          </>
        )}
      </div>
      {check?.exceeded_budgets.map(({ action, reason }) => (
        <p
          key={reason}
          className={`border-b px-4 py-2 text-sm ${action === "block" ? "text-bad" : "text-warn"}`}
        >
          {reason}
        </p>
      ))}
      <ul>
        {steps.map((step) => (
          <li key={step.id} id={`check-${step.id}`} className="border-b px-4 py-3 text-sm">
            <Consequence name={step.name ?? step.id} check={checks.get(step.id)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function FindingBadge({ finding }: { readonly finding: Finding }) {
  return <Badge tone={TONES[finding]}>{newPlanTexts.findings[finding]}</Badge>;
}

/** The worst of what policies decide and of what the database says. */
function findingOf({ verdict, problem }: StepCheck): Finding {
  return verdict !== "deny" && problem !== undefined ? "fails" : verdict;
}

function worstOf({ verdict, steps, exceeded_budgets: budgets }: PlanCheck): Finding {
  const isBlocked = budgets.some(({ action }) => action === "block");
  const found = [verdict, ...steps.map(findingOf), ...(isBlocked ? (["fails"] as const) : [])];
  return FINDINGS.find((finding) => found.includes(finding)) ?? verdict;
}

function Consequence({
  name,
  check,
}: {
  readonly name: string;
  readonly check: StepCheck | undefined;
}) {
  return (
    <>
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">
          <AgentText>{name}</AgentText>
        </span>
        {check !== undefined && <FindingBadge finding={findingOf(check)} />}
      </div>
      {check !== undefined && (
        <>
          <p className="mt-0.5 text-xs text-muted">
            {[
              check.intent,
              check.data_source,
              check.tables.map((table) => table.name).join(", "),
              check.estimated_rows === undefined
                ? ""
                : newPlanTexts.estimated(check.estimated_rows),
              newPlanTexts.total(check.aau, check.cost_usd),
            ]
              .filter((part) => part !== "")
              .join(" · ")}
          </p>
          {check.reason !== undefined && <p className="mt-1 text-bad">{check.reason}</p>}
          {check.problem !== undefined && <p className="mt-1 text-bad">{check.problem}</p>}
          {check.hints.map((hint) => (
            <p key={hint} className="mt-1 text-muted">
              {hint}
            </p>
          ))}
        </>
      )}
    </>
  );
}

/** Why the plan cannot be submitted as it is, part by part. */
function CheckFailure({ error }: { readonly error: Error }) {
  const details = error instanceof StewardError ? error.details : [];
  return (
    <div className="border-b bg-bad-soft px-4 py-2">
      <InlineFailure error={error} />
      <ul className="mt-1 list-disc pl-9 text-sm text-bad">
        {details.map(({ field, reason }) => (
          <li key={`${field} ${reason}`}>
            {field}: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

function graphStepOf(step: PlanScript["steps"][number], check: StepCheck | undefined): GraphStep {
  const rows = check?.estimated_rows;
  return {
    id: step.id,
    name: step.name ?? step.id,
    after: step.depends_on ?? [],
    activity: check === undefined ? "pending" : ACTIVITIES[findingOf(check)],
    note: [
      check === undefined ? newPlanTexts.notChecked : newPlanTexts.findings[findingOf(check)],
      rows === undefined ? "" : newPlanTexts.estimated(rows),
    ]
      .filter((part) => part !== "")
      .join(" · "),
  };
}
