import type { Approval } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../data/client.js";
import { useMay, useSession } from "../data/session.js";

/** How often the number of waiting approvals is read again, in ms. */
const REFRESH_MS = 5000;
/** Approvals that are counted; of more, this number is shown. */
const COUNTED_MAX = 200;
const NONE: readonly Approval[] = [];

/** Whether the signed-in person has decided about an approval. */
export function useIsDecidedByMe(): (approval: Approval) => boolean {
  const me = useSession().data?.caller?.user_id;
  return ({ decisions }) =>
    me !== undefined && decisions.some(({ approver }) => approver.user_id === me);
}

/** The approvals that wait for this person or another one; none for somebody who may not see them. */
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
  const isDecided = useIsDecidedByMe();
  return data?.approvals.filter((approval) => !isDecided(approval)) ?? NONE;
}
