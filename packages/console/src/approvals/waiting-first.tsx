import type { Approval } from "@steward/client";
import { Link } from "@tanstack/react-router";
import { Hand } from "lucide-react";
import { texts } from "../texts.js";
import { AgentText } from "../ui/agent-text.js";
import { Time } from "../ui/time.js";
import { useWaitingApprovals } from "./waiting-approvals.js";

/** Approvals that are shown; the inbox has all of them. */
const SHOWN_MAX = 5;

/** The approvals that wait for a decision, shown above the list of plans. */
export default function WaitingFirst() {
  const waiting = useWaitingApprovals();
  return (
    <section
      aria-label={texts.approvals.waitingFirst}
      className="border-b bg-warn-soft px-4 py-2 md:px-6"
    >
      <h2 className="text-xs font-medium text-warn">{texts.approvals.waitingFirst}</h2>
      <ul className="mt-1">
        {waiting.slice(0, SHOWN_MAX).map((approval) => (
          <li key={approval.approval_id} className="flex items-center gap-3 py-0.5 text-sm">
            <ApprovalLink approval={approval} />
            <span className="min-w-0 flex-1 truncate text-warn">
              {approval.subject.intent} · <AgentText>{approval.subject.data_source}</AgentText>
            </span>
            <span className="text-xs text-warn">
              <Time at={approval.requested_at} />
            </span>
          </li>
        ))}
      </ul>
      {waiting.length > SHOWN_MAX && (
        <Link to="/approvals" className="text-xs text-warn underline">
          {texts.approvals.more(waiting.length - SHOWN_MAX)}
        </Link>
      )}
    </section>
  );
}

/** Leads from a step that waits to the decision about it; nothing when none waits. */
export function StepApproval({
  planId,
  stepId,
}: {
  readonly planId: string;
  readonly stepId: string;
}) {
  const approval = useWaitingApprovals().find(
    (each) => each.plan_id === planId && each.step_id === stepId,
  );
  if (approval === undefined) return undefined;
  return (
    <p className="border-b bg-warn-soft px-4 py-2 text-sm">
      <ApprovalLink approval={approval} />
    </p>
  );
}

function ApprovalLink({ approval }: { readonly approval: Approval }) {
  return (
    <Link
      to="/approvals"
      search={{ approval: approval.approval_id }}
      className="inline-flex items-center gap-1.5 font-medium text-warn underline"
    >
      <Hand size={14} aria-hidden />
      {texts.approvals.decide} <AgentText>{approval.step_id}</AgentText>
    </Link>
  );
}
