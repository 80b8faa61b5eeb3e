import type { PlanSummary } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { client } from "../data/client.js";
import { AgentText } from "../ui/agent-text.js";
import { StatusBadge } from "../ui/badge.js";

/** How often a listed plan that is not over is read, in ms. */
const REFRESH_MS = 5000;

/**
 * What a listed plan waits for, or the first error of a failed one. Both are read with the plan while its row
 * is in the document, because the listing has no steps.
 * @param otherwise what is shown when there is no error, and until it is known.
 */
export default function PlanNews(props: {
  readonly plan: PlanSummary;
  readonly part: "status" | "error";
  readonly otherwise: ReactNode;
}) {
  const { part, otherwise } = props;
  const { plan_id: planId, status } = props.plan;
  const { data } = useQuery({
    queryKey: ["plans", "listed", planId, status],
    queryFn: async ({ signal }) => client.plans.getPlan({ plan_id: planId }, { signal }),
    refetchInterval: status === "failed" ? false : REFRESH_MS,
  });
  if (part === "status") return <StatusBadge status={data?.wait_reason ?? status} />;
  const error = data?.steps.find((step) => step.status === "failed")?.error;
  if (error === undefined) return otherwise;
  return <AgentText className="text-bad">{error.message}</AgentText>;
}
