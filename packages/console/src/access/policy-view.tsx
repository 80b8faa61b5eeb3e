import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { useMay } from "../data/session.js";
import { accessTexts } from "../texts/access.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Field } from "../ui/field.js";
import { Failure, InlineFailure, Skeleton } from "../ui/states.js";

const PLACEHOLDER_ROWS = 6;
const EDITOR_ROWS = 14;

/** The organization's policies and the shipped ones, with a form that shows their decisions. */
export function PolicyView() {
  const query = useQuery({
    queryKey: ["policies"],
    queryFn: ({ signal }) => client.policies.getPolicies({}, { signal }),
  });
  if (query.isPending) return <Skeleton rows={PLACEHOLDER_ROWS} />;
  if (query.error !== null) {
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  }
  const { text, version, shipped } = query.data;
  return (
    <div className="grid gap-6 p-4 md:p-6 lg:grid-cols-2">
      <OwnPolicies key={version} text={text} version={version} />
      <Explain />
      <details className="min-w-0 lg:col-span-2">
        <summary className="text-sm font-medium">{accessTexts.shipped}</summary>
        <pre
          tabIndex={0}
          aria-label={accessTexts.shipped}
          className="mt-2 max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
        >
          {shipped}
        </pre>
      </details>
    </div>
  );
}

function OwnPolicies({ text, version }: { readonly text: string; readonly version: number }) {
  const mayWrite = useMay("policies:write");
  const [draft, setDraft] = useState(text);
  const put = useMutation({
    mutationFn: () => client.policies.putPolicies({ text: draft, version }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["policies"] }),
  });
  const check = useMutation({ mutationFn: () => client.policies.checkPolicies({ text: draft }) });
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <label htmlFor="policies" className="text-sm font-medium">
        {accessTexts.policies}
      </label>
      <p id="policies-hint" className="text-xs text-muted">
        {accessTexts.policiesHint(version)}
      </p>
      <textarea
        id="policies"
        aria-describedby="policies-hint"
        rows={EDITOR_ROWS}
        spellCheck={false}
        readOnly={!mayWrite}
        value={draft}
        onChange={(event) => {
          setDraft(event.target.value);
        }}
        className="w-full rounded-md border border-line-strong bg-canvas p-2.5 font-mono text-xs"
      />
      {check.data !== undefined && <Problems problems={check.data.problems} />}
      {[check.error, put.error].map(
        (error, index) => error !== null && <InlineFailure key={index} error={error} />,
      )}
      <div className="flex gap-2">
        <Button
          disabled={check.isPending}
          onClick={() => {
            check.mutate();
          }}
        >
          {accessTexts.check}
        </Button>
        {mayWrite && (
          <Button
            look="primary"
            disabled={put.isPending || draft === text}
            onClick={() => {
              put.mutate();
            }}
          >
            {accessTexts.put}
          </Button>
        )}
      </div>
    </section>
  );
}

function Problems(props: {
  readonly problems: readonly { line: number; column: number; message: string }[];
}) {
  if (props.problems.length === 0) {
    return (
      <p role="status" className="text-sm text-good">
        {accessTexts.noProblems}
      </p>
    );
  }
  return (
    <ul role="status" className="text-sm text-bad">
      {props.problems.map(({ line, column, message }) => (
        <li key={`${line}:${column}:${message}`}>{accessTexts.problem(line, column, message)}</li>
      ))}
    </ul>
  );
}

/** Asks what the policies in force decide, as any caller of the organization may be asked about. */
function Explain() {
  const [action, setAction] = useState("plans:submit");
  const [role, setRole] = useState("agent");
  const explain = useMutation({
    mutationFn: () =>
      client.policies.explainPolicies({ action, ...(role === "" ? {} : { roles: [role] }) }),
  });
  const verdict = explain.data;
  return (
    <section className="flex min-w-0 flex-col gap-3" aria-label={accessTexts.explain}>
      <h2 className="text-sm font-medium">{accessTexts.explain}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          explain.mutate();
        }}
        className="flex flex-wrap items-end gap-2"
      >
        <div className="w-48">
          <Field
            id="explain-action"
            label={accessTexts.action}
            required
            value={action}
            onChange={(event) => {
              setAction(event.target.value);
            }}
          />
        </div>
        <div className="w-36">
          <Field
            id="explain-role"
            label={accessTexts.role}
            value={role}
            onChange={(event) => {
              setRole(event.target.value);
            }}
          />
        </div>
        <Button type="submit" disabled={explain.isPending}>
          {accessTexts.ask}
        </Button>
      </form>
      {explain.error !== null && <InlineFailure error={explain.error} />}
      {verdict !== undefined && (
        <div role="status" className="flex flex-col gap-1 text-sm">
          <p>
            <Badge tone={verdict.permitted ? "good" : "bad"}>
              {verdict.permitted ? accessTexts.permitted : accessTexts.denied}
            </Badge>{" "}
            {verdict.message}
          </p>
          <ul className="text-muted">
            {verdict.because.map(({ name, reason }) => (
              <li key={name}>
                <AgentText>{name}</AgentText>: <AgentText>{reason}</AgentText>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
