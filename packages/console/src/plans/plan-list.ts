import type { PlanSummary } from "@steward/client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../data/client.js";
import type { PlanFilters } from "./plan-filters.js";

/** Plans on one page of the listing. */
const PAGE_SIZE = 50;
/** How often the loaded pages are read again while the tab is visible, in ms. */
const REFRESH_MS = 3000;

/** The request to the API for these filters. */
export function queryOf({ q, status, session }: PlanFilters) {
  return {
    ...(q === undefined ? {} : { text: q }),
    ...(status === undefined ? {} : { status }),
    ...(session === undefined ? {} : { session_id: session }),
  };
}

/**
 * The loaded plans, the newest first. Plans that arrive while somebody reads further down are held
 * back, so that no row moves away under the pointer; `showNewer` lets them in.
 */
export function usePlanList(filters: PlanFilters, isAtTop: boolean) {
  const query = useInfiniteQuery({
    queryKey: ["plans", "list", filters],
    queryFn: async ({ pageParam, signal }) =>
      client.plans.listPlans(
        {
          ...queryOf(filters),
          limit: PAGE_SIZE,
          ...(pageParam === "" ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const plans = query.data?.pages.flatMap((page) => page.plans) ?? [];
  const [newest, setNewest] = useState<string | undefined>();
  const first = plans[0]?.plan_id;
  // Following the newest plan is part of drawing: with an effect, rows would move for one frame.
  if (isAtTop && newest !== first) setNewest(first);
  const held = isAtTop ? 0 : Math.max(0, indexOf(plans, newest));
  return {
    query,
    plans: plans.slice(held),
    newer: held,
    showNewer: () => {
      setNewest(first);
    },
  };
}

function indexOf(plans: readonly PlanSummary[], planId: string | undefined): number {
  return plans.findIndex((plan) => plan.plan_id === planId);
}
