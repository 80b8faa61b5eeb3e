import { serveThread } from "../../kernel/worker-thread.js";
import type { PolicyProblem } from "../../policies/ports.js";
import { cedarEngine, defaultPolicies } from "./index.js";
import { ruleProblemsIn } from "./organization-rules.js";

/**
 * Checks one text of policies, apart from the server's event loop: each policy takes the engine some fifteen
 * milliseconds, and one that is nested deeply ends the thread.
 */
serveThread<CheckCalls>({
  check: (text) => {
    const engine = cedarEngine();
    const problems = engine.problemsIn(text);
    const found = problems.length > 0 ? problems : ruleProblemsIn(text);
    // What can be decided on with the little stack that there is here can be decided on by the server.
    if (found.length === 0) engine.compile([defaultPolicies(), text]).decide(anyRequest());
    return found;
  },
});

/** What the thread is asked: what is wrong with a text. */
export interface CheckCalls {
  readonly check: { readonly input: string; readonly output: readonly PolicyProblem[] };
}

function anyRequest(): Parameters<
  ReturnType<ReturnType<typeof cedarEngine>["compile"]>["decide"]
>[0] {
  const orgId = "00000000-0000-0000-0000-000000000000";
  return {
    principal: {
      ...{ kind: "anonymous", id: "", orgId, roles: ["admin"], permissions: [] },
      ...{ namedByHeaders: false, tryingOut: false },
    },
    ...{ action: "plans:read", actionGroups: ["plans", "read"] },
    resource: { kind: "organization", orgId },
    context: { hour: 0, approved: false },
  };
}
