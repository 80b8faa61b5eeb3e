import type { Approval } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../data/client.js";
import { useMay } from "../data/session.js";

/** How often the number of waiting approvals is read again, in ms. */
const REFRESH_MS = 5000;
/** Approvals that are counted; of more, this number is shown. */
const COUNTED_MAX = 200;
const NONE: readonly Approval[] = [];

/** The approvals that wait for a person; none for somebody who may not see them. */
export function useWaitingApprovals(): readonly Approval[] {
  const { data } = useQuery({
    queryKey: ["approvals", "waiting"],
    queryFn: async ({ signal }) =>
      client.approvals.listApprovals({ status: "pending", limit: COUNTED_MAX }, { signal }),
    enabled: useMay("approvals:read"),
    refetchInterval: REFRESH_MS,
    // The title of the tab tells of it to somebody who looks at another one.
    refetchIntervalInBackground: true,
  });
  return data?.approvals ?? NONE;
}
