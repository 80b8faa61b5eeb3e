import { type Action, requireScope, ROLES } from "../identity/index.js";
import type { Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import { POLICY_DECISIONS_MAX } from "../kernel/limits.js";
import { RecentMap } from "../kernel/recent-map.js";
import { actionGroupsOf } from "./action-groups.js";
import { denialOf, type NamesThatMay } from "./denial.js";
import { principalOf } from "./principal.js";
import type {
  CompiledPolicies,
  PolicyDecision,
  PolicyPrincipal,
  PolicyRequest,
  PolicyResource,
  RequestContext,
} from "./ports.js";

/** What an authorizer is built from. */
export interface AuthorizerParts {
  /** The policies of every organization. */
  readonly policies: CompiledPolicies;
  readonly clock: Clock;
}

/**
 * Says whether a caller may do something: the one place that is asked, before every operation on every wire. What
 * no policy permits is denied. Decisions are remembered, because one takes a tenth of a millisecond and the same
 * few are asked for again and again.
 */
export class Authorizer {
  readonly #parts: AuthorizerParts;
  readonly #decisions = new RecentMap<PolicyDecision>(POLICY_DECISIONS_MAX);

  constructor(parts: AuthorizerParts) {
    this.#parts = parts;
  }

  /**
   * Lets a caller pass who may do this.
   * @param resource What it is done to; absent: the caller's organization as a whole.
   * @throws AppError `POLICY_DENIED`, naming what is missing and, in its details, the policy that decided;
   * `APPROVAL_REQUIRED` when a person would have to approve.
   */
  authorize(caller: Caller, action: Action, resource?: PolicyResource): Promise<void> {
    // What the function given to a promise throws is its rejection.
    return new Promise((resolve) => {
      requireScope(caller, action);
      const request = this.#requestOf(caller, action, resource);
      const decision = this.#decide(request);
      if (!decision.permitted) throw denialOf(request, decision, this.#namesThatMay(request));
      resolve();
    });
  }

  #requestOf(
    caller: Caller,
    action: Action,
    resource: PolicyResource = { kind: "organization", orgId: caller.orgId },
  ): PolicyRequest {
    return {
      principal: principalOf(caller),
      action,
      actionGroups: actionGroupsOf(action),
      resource,
      context: this.#circumstances(),
    };
  }

  #circumstances(): RequestContext {
    const hour = new Date(this.#parts.clock.nowMs()).getUTCHours();
    return { hour, approved: false };
  }

  #decide(request: PolicyRequest): PolicyDecision {
    return this.#decisions.getOrMake(JSON.stringify(request), () =>
      this.#parts.policies.decide(request),
    );
  }

  /** The shipped roles and permissions with each of which the same caller would be permitted. */
  #namesThatMay(request: PolicyRequest): NamesThatMay {
    const bare = { ...request.principal, roles: [], permissions: [], tryingOut: false };
    const mayWith = (names: Partial<PolicyPrincipal>): boolean =>
      this.#decide({ ...request, principal: { ...bare, ...names } }).permitted;
    return {
      roles: ROLES.filter((role) => mayWith({ roles: [role] })),
      permissions: PERMISSIONS.filter((permission) => mayWith({ permissions: [permission] })),
    };
  }
}

/** The permissions that the shipped policies know. */
const PERMISSIONS = ["manage:billing", "manage:schema", "manage:keys"] as const;
