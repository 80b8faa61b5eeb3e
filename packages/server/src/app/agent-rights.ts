import { anonymousCaller } from "@steward/kernel/caller.js";
import { INTENTS } from "../governance/index.js";
import { answerOf, verdictOf, type Answering, type Verdict } from "../policies/index.js";

/** The intents of statements by what the policies decide about an agent now. */
export type AgentRights = Readonly<Record<Verdict, readonly string[]>>;

/** Asks the policies of an organization about a caller with the role agent. */
export async function agentRights(
  authorizer: Answering,
  orgId: string | undefined,
  dataSource: string,
): Promise<AgentRights> {
  const rights: Record<Verdict, string[]> = { permit: [], approval: [], deny: [] };
  for (const action of INTENTS) {
    const answer = await answerOf(authorizer, anonymousCaller(orgId), {
      ...{ action, dataSource, roles: ["agent"], agent: "agent", permissions: [] },
      ...{ tables: [], columns: [] },
    });
    rights[verdictOf(answer)].push(action);
  }
  return rights;
}
