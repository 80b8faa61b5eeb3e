import type { PlanStep, StepDetail } from "@steward/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { StepApproval } from "../approvals/waiting-first.js";
import { client } from "../data/client.js";
import { planTexts, stepTexts } from "../texts/plan.js";
import { texts } from "../texts.js";
import { AgentText, withMarks } from "../ui/agent-text.js";
import { Badge, StatusBadge } from "../ui/badge.js";
import { Code, Sql } from "../code/code.js";
import { Drawer } from "../ui/drawer.js";
import { Facts, Section } from "../ui/facts.js";
import { Failure, InlineFailure, Skeleton } from "../ui/states.js";
import { Tabs } from "../ui/tabs.js";
import { Time } from "../ui/time.js";
import { durationText } from "../ui/time-texts.js";
import type { Attempt } from "./attempts.js";
import { CopyAs } from "./copy-as.js";
import { RowsGrid } from "./rows-grid.js";
import { stepSnippets } from "./snippets.js";

const PLACEHOLDER_ROWS = 5;

interface StepDrawerProps {
  readonly planId: string;
  readonly step: PlanStep;
  readonly attempts: readonly Attempt[];
  readonly onClose: () => void;
}

/** The details of one step: its statement, its result, the text for the LLM, the policies' decision. */
export default function StepDrawer({ planId, step, attempts, onClose }: StepDrawerProps) {
  const { data, error, refetch } = useQuery({
    // The detail is read again when anything about the step has changed in its plan.
    queryKey: [
      "plans",
      "step",
      planId,
      step.step_id,
      step.status,
      step.attempt,
      step.revision,
      step.wait_reason,
    ],
    queryFn: async ({ signal }) =>
      client.plans.getStep({ plan_id: planId, step_id: step.step_id }, { signal }),
    placeholderData: (previous) =>
      previous?.step.step_id === step.step_id ? keepPreviousData(previous) : undefined,
  });
  return (
    <Drawer
      label={stepTexts.label(step.step_id)}
      onClose={onClose}
      title={
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h2 className="min-w-0 truncate text-sm font-semibold">
            <AgentText>{step.name === "" ? step.step_id : step.name}</AgentText>
          </h2>
          <StatusBadge status={step.wait_reason ?? step.status} />
          <CopyAs snippets={stepSnippets(window.location.origin, planId, step.step_id)} />
        </div>
      }
    >
      {step.wait_reason === "awaiting_approval" && (
        <StepApproval planId={planId} stepId={step.step_id} />
      )}
      {step.error !== undefined && (
        <div className="border-b bg-bad-soft px-4 py-2">
          <InlineFailure error={new Error(`${step.error.code}: ${step.error.message}`)} />
        </div>
      )}
      {data !== undefined && <Detail detail={data} step={step} attempts={attempts} />}
      {data === undefined && error === null && <Skeleton rows={PLACEHOLDER_ROWS} />}
      {data === undefined && error !== null && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
    </Drawer>
  );
}

function Detail(props: {
  readonly detail: StepDetail;
  readonly step: PlanStep;
  readonly attempts: readonly Attempt[];
}) {
  const { detail, step, attempts } = props;
  return (
    <Tabs
      label={stepTexts.parts}
      tabs={[
        {
          id: "statement",
          title: stepTexts.statement,
          content: <Statement detail={detail} step={step} />,
        },
        { id: "result", title: stepTexts.result, content: <Result detail={detail} /> },
        { id: "context", title: stepTexts.context, content: <Context detail={detail} /> },
        { id: "decision", title: stepTexts.decision, content: <Decision detail={detail} /> },
        { id: "attempts", title: stepTexts.attempts, content: <Attempts attempts={attempts} /> },
      ]}
    />
  );
}

function Statement({ detail, step }: { readonly detail: StepDetail; readonly step: PlanStep }) {
  const { definition, statement, values, check } = detail;
  return (
    <>
      <Section title={stepTexts.about}>
        <Facts
          facts={[
            [planTexts.columns.step, <AgentText key="id">{step.step_id}</AgentText>],
            [
              planTexts.columns.tool,
              step.tool_name === "" ? "" : <AgentText key="tool">{step.tool_name}</AgentText>,
            ],
            [stepTexts.dataSource, <AgentText key="source">{check.data_source}</AgentText>],
            [planTexts.columns.intent, step.intent],
            [planTexts.columns.after, step.depends_on.join(", ")],
            [stepTexts.tables, listOf(definition.schema_table_hints ?? [])],
            [
              stepTexts.timeLimit,
              definition.timeout_ms && stepTexts.milliseconds(definition.timeout_ms),
            ],
            [stepTexts.rowsForLlm, definition.max_rows],
            [stepTexts.bytesForLlm, definition.max_bytes],
            [stepTexts.revision, step.revision],
          ]}
        />
      </Section>
      <Section title={stepTexts.template}>
        <Sql sql={definition.query_template ?? ""} />
      </Section>
      {statement !== definition.query_template && (
        <Section title={stepTexts.bound}>
          <Sql sql={statement} />
        </Section>
      )}
      {values === undefined && <p className="text-sm text-muted">{stepTexts.noValuesYet}</p>}
      {values !== undefined && values.length > 0 && (
        <Section title={stepTexts.values}>
          <ol className="overflow-hidden rounded-lg border font-mono text-xs">
            {values.map(({ text, bytes }, index) => (
              <li key={index} className="flex gap-3 border-b px-3 py-1.5 last:border-b-0">
                <span className="w-8 shrink-0 text-right text-muted">{index + 1}</span>
                <AgentText className="min-w-0 break-words">
                  {text ?? <em className="text-muted">NULL</em>}
                  {bytes !== undefined && (
                    <span className="text-muted"> {stepTexts.cutAt(bytes)}</span>
                  )}
                </AgentText>
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

function Result({ detail: { execution } }: { readonly detail: StepDetail }) {
  if (execution === undefined) return <p className="text-sm text-muted">{stepTexts.notEnded}</p>;
  const { step_result: result, llm_context_update: update } = execution;
  return (
    <>
      <Section title={stepTexts.rowsOf(result.row_count)}>
        <RowsGrid json={update.tool_output_json} />
      </Section>
      {update.schema_additions.length > 0 && (
        <Section title={stepTexts.schemaChanges}>
          {update.schema_additions.map((change) => (
            <details key={change.table_name} className="mb-2">
              <summary className="text-sm">
                <AgentText>{change.table_name}</AgentText> ·{" "}
                {stepTexts.schemaOperations[change.operation]}
              </summary>
              <Code text={indented(change.table_def_json)} />
            </details>
          ))}
        </Section>
      )}
      {update.augmentation_hints.length > 0 && (
        <Section title={stepTexts.hints}>
          <ul className="list-disc space-y-1 pl-5 text-sm">
            {update.augmentation_hints.map((hint) => (
              <li key={hint}>
                <AgentText>{hint}</AgentText>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** Exactly what the answer to the step's execution hands to the LLM. */
function Context({ detail: { execution } }: { readonly detail: StepDetail }) {
  if (execution === undefined) return <p className="text-sm text-muted">{stepTexts.notEnded}</p>;
  return (
    <Section title={stepTexts.handedOver}>
      <Code text={JSON.stringify(execution.llm_context_update, null, 2)} />
    </Section>
  );
}

const VERDICT_TONES = { permit: "good", deny: "bad", approval: "warn" } as const;

function Decision({ detail: { check } }: { readonly detail: StepDetail }) {
  return (
    <>
      <Section title={stepTexts.verdict}>
        <Badge tone={VERDICT_TONES[check.verdict]}>{stepTexts.verdicts[check.verdict]}</Badge>
        {check.reason !== undefined && <p className="mt-2 text-sm">{withMarks(check.reason)}</p>}
        <ul className="mt-3 space-y-2 text-sm">
          {check.policies.map((policy) => (
            <li key={policy.id} className="rounded-lg border px-3 py-2">
              <span className="font-mono text-xs">{policy.id}</span>
              {policy.reason !== undefined && <p className="text-muted">{policy.reason}</p>}
              {policy.approval !== undefined && (
                <p className="text-warn">{stepTexts.approvalBy(policy.approval)}</p>
              )}
            </li>
          ))}
        </ul>
      </Section>
      <Section title={stepTexts.cost}>
        <Facts
          facts={[
            [stepTexts.aau, check.aau],
            [
              stepTexts.dollars,
              check.cost_usd === undefined ? stepTexts.noPrice : `$${check.cost_usd}`,
            ],
            [stepTexts.rowsChangedMax, check.rows_changed_max],
            [stepTexts.touched, listOf(check.tables.map(({ name }) => name))],
          ]}
        />
      </Section>
    </>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="text-sm text-muted">{stepTexts.noAttempts}</p>;
  return (
    <ol className="space-y-2 text-sm">
      {attempts.map((attempt) => (
        <li key={attempt.number} className="rounded-lg border px-3 py-2">
          <div className="flex items-center gap-3">
            <span className="font-medium">{stepTexts.attempt(attempt.number)}</span>
            <span className="flex-1 text-muted">{attempt.status ?? texts.statuses.running}</span>
            {attempt.endedMs !== undefined && (
              <span className="text-xs text-muted tabular-nums">
                {durationText(attempt.endedMs - attempt.startedMs)}
              </span>
            )}
            <span className="text-xs text-muted">
              <Time at={new Date(attempt.startedMs).toISOString()} />
            </span>
          </div>
          {attempt.error !== undefined && (
            <p className="mt-1 break-words text-bad">{withMarks(attempt.error)}</p>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Names beside each other, of which none reorders the next. */
function listOf(names: readonly string[]): ReactNode {
  if (names.length === 0) return undefined;
  return names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && ", "}
      <AgentText>{name}</AgentText>
    </Fragment>
  ));
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
