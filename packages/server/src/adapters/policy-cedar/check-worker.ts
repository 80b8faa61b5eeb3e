import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { PolicyProblem } from "../../policies/ports.js";
import { cedarEngine, defaultPolicies } from "./index.js";
import { ruleProblemsIn } from "./organization-rules.js";

/**
 * Checks one policy text outside the server's event loop. Cedar takes about 15 ms per policy, and a
 * deeply nested policy overflows the thread's stack.
 */
serveThread<CheckCalls>({
  check: (text) => {
    const engine = cedarEngine();
    const problems = engine.problemsIn(text);
    const found = problems.length > 0 ? problems : ruleProblemsIn(text);
    // A policy that can be evaluated with this thread's small stack can be evaluated by the server.
    if (found.length === 0) engine.compile([defaultPolicies(), text]).decide(anyRequest());
    return found;
  },
});

/** The thread's calls: check a text and return its problems. */
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
      ...{ namedByHeaders: false, isAgent: false, tryingOut: false, onPlainLoopback: false },
    },
    ...{ action: "plans:read", actionGroups: ["plans", "read"] },
    resource: { kind: "organization", orgId },
    context: { hour: 0, approved: false },
  };
}
