import type { Approval } from "@steward/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { client } from "../data/client.js";
import { approvalTexts } from "../texts/approvals.js";
import { planTexts, stepTexts } from "../texts/plan.js";
import { Sql } from "../code/code.js";
import { AgentText } from "../ui/agent-text.js";
import { Facts, Section } from "../ui/facts.js";
import { Failure, Skeleton } from "../ui/states.js";
import { Time } from "../ui/time.js";
import { DecisionForm } from "./decision-form.js";
import { PlanStepsView } from "./plan-steps-view.js";
import { PreviewView } from "./preview-view.js";
import { isStanding, StandingApproval } from "./standing-approval.js";

const PLACEHOLDER_ROWS = 6;

/**
 * One approval: what would run and change, for whom, who has to decide, and the decision.
 * @param state what the list says of it: the approval is read again when that changes, and not by the clock,
 * because each reading has the data source run the write and roll it back.
 */
export function ApprovalDetail(props: { readonly approvalId: string; readonly state: string }) {
  const { approvalId, state } = props;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["approvals", "one", approvalId, state],
    queryFn: async ({ signal }) =>
      client.approvals.getApproval({ approval_id: approvalId }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section aria-label={approvalTexts.detail} className="flex min-h-0 min-w-0 flex-1 flex-col">
      {data === undefined && error === null && <Skeleton rows={PLACEHOLDER_ROWS} />}
      {data === undefined && error !== null && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && (
        <>
          <div
            className="min-h-0 flex-1 overflow-y-auto p-4 md:p-6"
            tabIndex={0}
            role="region"
            aria-label={approvalTexts.subject}
          >
            <Subject approval={data} isReading={isFetching} onRefresh={() => void refetch()} />
          </div>
          {data.status === "pending" && <DecisionForm key={data.approval_id} approval={data} />}
          {isStanding(data) && (
            <StandingApproval key={data.approval_id} approvalId={data.approval_id} />
          )}
        </>
      )}
    </section>
  );
}

function Subject(props: {
  readonly approval: Approval;
  readonly isReading: boolean;
  readonly onRefresh: () => void;
}) {
  const { approval } = props;
  const { subject, rules, requester, decisions, preview } = approval;
  return (
    <>
      <h2 className="mb-4 text-base font-semibold">
        {subject.plan_steps === undefined ? (
          <AgentText>{approval.step_id}</AgentText>
        ) : (
          approvalTexts.wholePlan(subject.plan_steps.length)
        )}
      </h2>
      <Section title={approvalTexts.whatRuns}>
        {subject.plan_steps === undefined ? (
          <Statement subject={subject} />
        ) : (
          <PlanStepsView steps={subject.plan_steps} />
        )}
      </Section>
      {preview !== undefined && (
        <PreviewView preview={preview} isReading={props.isReading} onRefresh={props.onRefresh} />
      )}
      <Section title={approvalTexts.where}>
        <Facts
          facts={[
            [stepTexts.dataSource, <AgentText key="source">{subject.data_source}</AgentText>],
            [planTexts.columns.intent, subject.intent],
            ...(subject.tables ?? []).map(({ name, accesses }): readonly [string, string] => [
              approvalTexts.table(name),
              accesses.join(", "),
            ]),
            ...planFacts(approval),
          ]}
        />
      </Section>
      <Section title={approvalTexts.who}>
        <Facts
          facts={[
            [approvalTexts.requester, <AgentText key="who">{partyText(requester)}</AgentText>],
            [approvalTexts.requested, <Time key="at" at={approval.requested_at} />],
            [approvalTexts.expires, <Time key="expires" at={approval.expires_at} isDeadline />],
            ...standingFacts(approval),
            ...rules.map((rule): readonly [string, string] => [
              rule.policy_id,
              [rule.reason, approvalTexts.rule(rule.role, rule.approvers_min, rule.missing)]
                .filter(Boolean)
                .join(" – "),
            ]),
          ]}
        />
      </Section>
      {decisions.length > 0 && (
        <Section title={approvalTexts.decisions}>
          <ul className="space-y-2 text-sm">
            {decisions.map((decision) => (
              <li key={decision.decided_at} className="rounded-lg border px-3 py-2">
                <AgentText className="font-medium">{partyText(decision.approver)}</AgentText>{" "}
                <span className={decision.decision === "approve" ? "text-good" : "text-bad"}>
                  {approvalTexts.did[decision.decision]}
                </span>{" "}
                <span className="text-muted">
                  <Time at={decision.decided_at} />
                </span>
                {decision.reason !== undefined && (
                  <p className="mt-1 text-muted">
                    <AgentText>{decision.reason}</AgentText>
                  </p>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** The plan and the step that wait; none when it is for an operation. */
function planFacts(approval: Approval): readonly (readonly [string, ReactNode])[] {
  if (approval.plan_id === "") return [];
  return [
    [
      approvalTexts.plan,
      <Link
        key="plan"
        to="/plans/$planId"
        params={{ planId: approval.plan_id }}
        search={{ step: approval.step_id }}
        className="font-mono text-xs text-accent hover:underline"
      >
        {approval.plan_id}
      </Link>,
    ],
    [planTexts.columns.step, <AgentText key="step">{approval.step_id}</AgentText>],
  ];
}

/** Whose decision covers the statement, and how long the decision covers later ones. */
function standingFacts(approval: Approval): readonly (readonly [string, ReactNode])[] {
  const { granted_by: grantedBy, standing_until: until } = approval;
  const { revoked_at: revokedAt, revoked_by: revokedBy } = approval;
  return [
    [
      approvalTexts.grantedBy,
      grantedBy && (
        <Link
          key="granted"
          to="/approvals"
          search={{ show: "all", approval: grantedBy }}
          className="font-mono text-xs text-accent hover:underline"
        >
          {grantedBy}
        </Link>
      ),
    ],
    [approvalTexts.standsUntil, until && <Time key="until" at={until} isDeadline />],
    [
      approvalTexts.revoked,
      revokedAt && (
        <>
          <Time at={revokedAt} />{" "}
          {revokedBy && <AgentText>{approvalTexts.revokedBy(revokedBy)}</AgentText>}
        </>
      ),
    ],
  ];
}

function Statement({ subject }: { readonly subject: Approval["subject"] }) {
  return (
    <>
      <Sql sql={subject.statement} />
      {subject.values.length > 0 && (
        <ol className="mt-2 overflow-hidden rounded-lg border font-mono text-xs">
          {subject.values.map(({ text, bytes, type }, index) => (
            <li key={index} className="flex gap-3 border-b px-3 py-1.5 last:border-b-0">
              <span className="w-8 shrink-0 text-right text-muted">{index + 1}</span>
              <AgentText className="min-w-0 flex-1 break-words">
                {text ?? <em className="text-muted">NULL</em>}
                {bytes !== undefined && (
                  <span className="text-muted"> {stepTexts.cutAt(bytes)}</span>
                )}
              </AgentText>
              {type !== undefined && <span className="text-muted">{type}</span>}
            </li>
          ))}
        </ol>
      )}
      {subject.values_left_out > 0 && (
        <p className="mt-1 text-sm text-warn">
          {approvalTexts.valuesLeftOut(subject.values_left_out)}
        </p>
      )}
    </>
  );
}

function partyText({
  kind,
  user_id: user,
  agent_id: agent,
  key_id: key,
}: Approval["requester"]): string {
  const names = [agent, user, key].filter((name) => name !== undefined);
  return names.length === 0
    ? approvalTexts.parties[kind]
    : `${approvalTexts.parties[kind]} ${names.join(", ")}`;
}
