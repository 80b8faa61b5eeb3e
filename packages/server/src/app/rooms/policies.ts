import {
  cedarEngine,
  CheckThread,
  defaultPolicies,
  firstPolicies,
} from "../../adapters/policy-cedar/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { KnownRoles } from "../../identity/index.js";
import { ROWS_CHANGED_MAX } from "../../plans/limits.js";
import {
  Authorizer,
  noPolicies,
  OrganizationPolicySource,
  PolicyService,
} from "../../policies/index.js";
import type { PolicySource, PolicyStore } from "../../policies/ports.js";
import { aauWeight } from "../../usage/index.js";

/** Dependencies of policies. */
interface PolicyParts {
  readonly clock: Clock;
  /** Absent: organizations have no policies of their own. */
  readonly store?: PolicyStore | undefined;
  readonly rowsChangedMax?: number | undefined;
  /** Whether an agent's credential only reads in an organization without policies of its own. */
  readonly agentsOnlyRead?: boolean | undefined;
  /** Whether texts of the memory are sent to another machine to be embedded. */
  readonly providerIsRemote?: boolean;
}

/**
 * The authorizer of every operation and statement, and the service that manages organizations'
 * policies.
 */
export interface OpenPolicies {
  readonly authorizer: Authorizer;
  readonly service: PolicyService;
  readonly knownRoles: KnownRoles;
}

/** The shipped policies together with the organizations' own. */
export function openPolicies({
  clock,
  store = noPolicies,
  rowsChangedMax = ROWS_CHANGED_MAX,
  agentsOnlyRead = false,
  providerIsRemote = false,
}: PolicyParts): OpenPolicies {
  const shipped = defaultPolicies();
  const engine = cedarEngine();
  const untilOwn = agentsOnlyRead ? firstPolicies() : undefined;
  const source = new OrganizationPolicySource({ engine, store, clock, shipped, untilOwn });
  const statements = { aauOf: aauWeight, rowsChangedMax };
  const authorizerBy = (policies: PolicySource): Authorizer =>
    new Authorizer({ policies, clock, statements, providerIsRemote });
  const authorizer = authorizerBy(source);
  const service = new PolicyService({
    ...{ store, checker: new CheckThread(), source, authorizer, clock, shipped },
    authorizerOfDraft: (text) => {
      const draft = engine.compile([shipped, text]);
      return authorizerBy({ shipped: source.shipped, of: () => draft });
    },
  });
  return { authorizer, service, knownRoles: (orgId) => source.roles(orgId) };
}
