import { cedarEngine, defaultPolicies } from "./adapters/policy-cedar/index.js";
import type { Clock } from "./kernel/clock.js";
import { Authorizer } from "./policies/index.js";
import type { Authorize } from "./transport/services.js";

/** What decides on every operation, by the shipped policies. */
export function openPolicies({ clock }: { readonly clock: Clock }): Authorize {
  const policies = cedarEngine().compile([defaultPolicies()]);
  const authorizer = new Authorizer({ policies, clock });
  return (caller, action, resource) => authorizer.authorize(caller, action, resource);
}
