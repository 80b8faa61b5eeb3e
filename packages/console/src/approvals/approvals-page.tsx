import type { Approval } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { useCallback, useEffect } from "react";
import { client } from "../data/client.js";
import { useShortcuts } from "../shell/shortcuts.js";
import { approvalTexts } from "../texts/approvals.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge, type Tone } from "../ui/badge.js";
import { classNames } from "../ui/class-names.js";
import { Choices } from "../ui/facets.js";
import { Page } from "../ui/page.js";
import { Empty, Failure, Skeleton } from "../ui/states.js";
import { Time } from "../ui/time.js";
import { ApprovalDetail } from "./approval-detail.js";
import { approvalProgress } from "./approval-progress.js";

/** How often the inbox is read again while the tab is visible, in ms. */
const REFRESH_MS = 3000;
/** Approvals that the inbox lists; older ones are found by their plan. */
const LISTED_MAX = 200;
const PLACEHOLDER_ROWS = 6;
const TONES: Readonly<Record<Approval["status"], Tone>> = {
  pending: "warn",
  approved: "good",
  denied: "bad",
  used: "good",
  void: "quiet",
  expired: "quiet",
};

/** The inbox: approvals that wait for a decision, and past decisions. */
export default function ApprovalsPage() {
  const { show = "pending", approval: approvalId } = useSearch({ from: "/approvals" });
  const navigate = useNavigate({ from: "/approvals" });
  const { data, error, refetch } = useQuery({
    queryKey: ["approvals", "list", show],
    queryFn: async ({ signal }) =>
      client.approvals.listApprovals(
        { limit: LISTED_MAX, ...(show === "pending" ? { status: "pending" } : {}) },
        { signal },
      ),
    refetchInterval: REFRESH_MS,
  });
  const approvals = data?.approvals ?? [];
  const open = useCallback(
    (id: string) => {
      void navigate({ search: { show, approval: id }, replace: true });
    },
    [navigate, show],
  );
  // The opened approval stays open when new ones arrive, and when somebody decides about it.
  const first = approvals[0]?.approval_id;
  useEffect(() => {
    if (approvalId === undefined && first !== undefined) open(first);
  }, [approvalId, first, open]);
  const move = (by: number) => () => {
    const now = approvals.findIndex((each) => each.approval_id === approvalId);
    const next = approvals[Math.min(Math.max(now + by, 0), approvals.length - 1)];
    if (next !== undefined) open(next.approval_id);
  };
  useShortcuts({ j: move(1), k: move(-1) });
  return (
    <Page
      title={approvalTexts.title}
      subtitle={approvalTexts.subtitle}
      actions={
        <Choices
          label={approvalTexts.show}
          chosen={show}
          values={[
            { value: "pending", text: approvalTexts.waiting },
            { value: "all", text: approvalTexts.all },
          ]}
          onChoose={(value) => {
            void navigate({ search: { show: value }, replace: true });
          }}
        />
      }
    >
      {data === undefined && error === null && <Skeleton rows={PLACEHOLDER_ROWS} />}
      {data === undefined && error !== null && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && approvalId === undefined && (
        <Empty
          title={approvalTexts.empty}
          hint={approvalTexts.emptyHint}
          icon={<Inbox size={26} aria-hidden />}
        />
      )}
      {data !== undefined && approvalId !== undefined && (
        <div className="flex h-full min-h-0 flex-col md:flex-row">
          <ul
            aria-label={approvalTexts.title}
            className="max-h-48 shrink-0 overflow-y-auto border-b md:max-h-none md:w-80 md:border-r md:border-b-0"
          >
            {approvals.map((each) => (
              <Item
                key={each.approval_id}
                approval={each}
                isOpen={each.approval_id === approvalId}
                onOpen={() => {
                  open(each.approval_id);
                }}
              />
            ))}
            {approvals.length === 0 && (
              <li className="p-4 text-sm text-muted">{approvalTexts.empty}</li>
            )}
          </ul>
          <ApprovalDetail
            key={approvalId}
            approvalId={approvalId}
            state={stateOf(approvals.find((each) => each.approval_id === approvalId))}
          />
        </div>
      )}
    </Page>
  );
}

/** A key that changes when somebody decides about an approval, or when its statement changes. */
function stateOf(approval: Approval | undefined): string {
  return approval === undefined
    ? ""
    : `${approval.status} ${approval.digest} ${approval.decisions.length}`;
}

function statusText(approval: Approval): string {
  const progress = approvalProgress(approval);
  return approval.status === "pending" && progress.given > 0
    ? approvalTexts.waitingFor(progress)
    : approvalTexts.statuses[approval.status];
}

function Item(props: {
  readonly approval: Approval;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { approval } = props;
  return (
    <li>
      <button
        type="button"
        aria-current={props.isOpen}
        onClick={props.onOpen}
        className={classNames(
          "flex w-full flex-col gap-1 border-b px-4 py-2.5 text-left text-sm hover:bg-hover focus-visible:outline-offset-[-2px]",
          props.isOpen && "bg-selected",
        )}
      >
        <span className="flex w-full items-center gap-2">
          <AgentText className="min-w-0 flex-1 truncate font-medium">{approval.step_id}</AgentText>
          <Badge tone={TONES[approval.status]}>{statusText(approval)}</Badge>
        </span>
        <span className="flex w-full gap-2 text-xs text-muted">
          <span className="min-w-0 flex-1 truncate">
            {approval.subject.intent} · <AgentText>{approval.subject.data_source}</AgentText>
          </span>
          <Time at={approval.requested_at} />
        </span>
      </button>
    </li>
  );
}
