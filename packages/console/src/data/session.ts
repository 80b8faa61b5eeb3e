import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { SessionState } from "@steward/client";
import { client } from "./client.js";

/** The signed-in person and their rights. */
export function useSession(): UseQueryResult<SessionState> {
  return useQuery({
    queryKey: ["session"],
    queryFn: ({ signal }) => client.session.get({ signal }),
  });
}

/** Whether the person may do this, as far as the server has said it. */
export function useMay(action: string): boolean {
  return useSession().data?.actions.includes(action) === true;
}
