import { cedarEngine, defaultPolicies } from "./adapters/policy-cedar/index.js";
import type { Clock } from "./kernel/clock.js";
import { ROWS_CHANGED_MAX } from "./kernel/limits.js";
import { Authorizer } from "./policies/index.js";
import { aauWeight } from "./usage/index.js";

/** What policies are opened with. */
interface PolicyParts {
  readonly clock: Clock;
  readonly rowsChangedMax?: number | undefined;
}

/** What decides on every operation and every statement, by the shipped policies. */
export function openPolicies({
  clock,
  rowsChangedMax = ROWS_CHANGED_MAX,
}: PolicyParts): Authorizer {
  const policies = cedarEngine().compile([defaultPolicies()]);
  return new Authorizer({
    policies: { of: () => policies },
    clock,
    statements: { aauOf: aauWeight, rowsChangedMax },
  });
}
