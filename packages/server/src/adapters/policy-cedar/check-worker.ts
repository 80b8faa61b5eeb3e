import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../kernel/assert.js";
import { cedarEngine, defaultPolicies } from "./index.js";
import { ruleProblemsIn } from "./organization-rules.js";

/**
 * Checks one text of policies, apart from the server's event loop: each policy takes the engine some fifteen
 * milliseconds, and one that is nested deeply ends the thread.
 */
assert(parentPort !== null, "this is a thread");
// Whoever starts the thread gives it the text.
const text = workerData as string;
const engine = cedarEngine();
const problems = engine.problemsIn(text);
const found = problems.length > 0 ? problems : ruleProblemsIn(text);
// What can be decided on with the little stack that there is here can be decided on by the server.
if (found.length === 0) engine.compile([defaultPolicies(), text]).decide(anyRequest());
parentPort.postMessage(found);

function anyRequest(): Parameters<ReturnType<typeof engine.compile>["decide"]>[0] {
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
