import {
  ApprovalRequired,
  type ApprovalRule,
  OperationApprovalRequired,
  type StatementDecision,
  type StatementGrant,
  type StatementRule,
} from "../governance/index.js";
import { ROLES } from "../identity/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { POLICY_DECISIONS_MAX } from "./limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { denialOf, forbiddenDespite, type NamesThatMay } from "./denial.js";
import type {
  CompiledPolicies,
  DecidingPolicy,
  PolicyDecision,
  PolicyPrincipal,
  PolicyRequest,
} from "./ports.js";
import { Grants } from "./grants.js";
import type { Principals } from "./principals.js";
import { type AskedPolicies, type CallToRemember, refusalToRemember } from "./remembering.js";
import { permitStatement, type AskedStatement, type StatementLimits } from "./statements.js";

/** An action on an organization as a whole. */
export interface Operation {
  readonly principal: PolicyPrincipal;
  readonly action: string;
  /** Hour of the day in UTC, the only circumstance that changes while a server runs. */
  readonly hour: number;
}

/**
 * Caches decisions, because a decision takes a tenth of a millisecond and the same few requests
 * repeat. The cache key contains everything that a decision depends on.
 */
export class Decisions {
  readonly #remembered = new RecentMap<PolicyDecision>(POLICY_DECISIONS_MAX);
  readonly #passed = new RecentMap<true>(POLICY_DECISIONS_MAX);
  readonly #toRemember = new RecentMap<boolean>(POLICY_DECISIONS_MAX);
  readonly #principals: Principals;
  readonly #grants: Grants;

  constructor(principals: Principals) {
    this.#principals = principals;
    this.#grants = new Grants(principals);
  }

  decide(policies: CompiledPolicies, request: PolicyRequest): PolicyDecision {
    const { principal, ...asked } = request;
    const number = this.#principals.numberOf(principal);
    const key = `${policies.id} ${number} ${JSON.stringify(asked)}`;
    return this.#remembered.getOrMake(key, () => policies.decide(request));
  }

  /**
   * Permits an operation on the organization as a whole if it was permitted before; else decides.
   * @param ask Decides; throws unless it is permitted.
   */
  pass(policies: CompiledPolicies, { principal, action, hour }: Operation, ask: () => void): void {
    const number = this.#principals.numberOf(principal);
    const key = `${String(policies.id)} ${String(number)} ${String(hour)} ${action}`;
    this.#passed.getOrMake(key, () => {
      ask();
      return true;
    });
  }

  /** Whether a tool call of this shape may get a memory entry. @param ask Decides. */
  mayRemember(policies: CompiledPolicies, shape: string, ask: () => boolean): boolean {
    return this.#toRemember.getOrMake(`${String(policies.id)} ${shape}`, ask);
  }

  /**
   * Decides on a statement as a whole and on the data that it touches.
   * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`.
   */
  permit(
    policies: CompiledPolicies,
    asked: AskedStatement,
    limits: StatementLimits,
  ): StatementGrant {
    return this.#grants.of(policies, asked, () =>
      permitStatement(asked, limits, this.#asked(policies)),
    );
  }

  /** The result of {@link permit} with its reasons; never cached. */
  explain(
    policies: CompiledPolicies,
    asked: AskedStatement,
    limits: StatementLimits,
  ): StatementDecision {
    const inner = this.#asked(policies);
    const permitting: DecidingPolicy[] = [];
    let denial: PolicyDecision | undefined;
    const observed: AskedPolicies = {
      ...inner,
      decide: (request) => {
        const decision = inner.decide(request);
        // Only policies that forbid count for the parts of a statement.
        const isWhole = request.resource.kind === "dataSource";
        if (isWhole && decision.permitted) permitting.push(...decision.policies);
        return decision;
      },
      refusal: (request, decision) => {
        denial = decision;
        return inner.refusal(request, decision);
      },
    };
    try {
      const grant = permitStatement(asked, limits, observed);
      return { verdict: "permit", policies: rulesOf(permitting), ...grant };
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      const { message: reason, cause } = refusal;
      if (refusal instanceof ApprovalRequired) {
        return { verdict: "approval", reason, policies: refusal.needed.rules.map(ruleOf) };
      }
      if (cause instanceof ApprovalRequired) {
        return { verdict: "deny", reason, policies: cause.needed.rules.map(ruleOf) };
      }
      return { verdict: "deny", reason, policies: rulesOf(denial?.policies ?? []) };
    }
  }

  /** The reason why a tool call may not get a memory entry; `undefined` when it may. */
  refusalToRemember(policies: CompiledPolicies, call: CallToRemember): AppError | undefined {
    return refusalToRemember(call, this.#asked(policies));
  }

  /** The error of a denied request. Nobody is asked to approve what is not permitted even then. */
  refusal(policies: CompiledPolicies, request: PolicyRequest, decision: PolicyDecision): AppError {
    const error = this.#denial(policies, request, decision);
    if (!(error instanceof OperationApprovalRequired)) return error;
    const approved = { ...request, context: { ...request.context, approved: true } };
    const then = this.decide(policies, approved);
    if (then.permitted) return error;
    const despite = this.#denial(policies, approved, then);
    return despite instanceof OperationApprovalRequired ? forbiddenDespite(despite) : despite;
  }

  #denial(policies: CompiledPolicies, request: PolicyRequest, decision: PolicyDecision): AppError {
    return denialOf(request, decision, {
      ...this.#namesThatMay(policies, request),
      policyVersion: policies.version,
    });
  }

  #asked(policies: CompiledPolicies): AskedPolicies {
    return {
      decide: (request) => this.decide(policies, request),
      refusal: (request, decision) => this.refusal(policies, request, decision),
      mentions: (...asked) => policies.mentions(...asked),
      version: policies.version,
      restricts: (actions) => policies.restricts(actions),
    };
  }

  /** The shipped roles and permissions that would each, alone, permit the same request. */
  #namesThatMay(policies: CompiledPolicies, request: PolicyRequest): NamesThatMay {
    const bare = {
      ...request.principal,
      roles: [],
      permissions: [],
      tryingOut: false,
      onPlainLoopback: false,
    };
    const mayWith = (names: Partial<PolicyPrincipal>): boolean =>
      this.decide(policies, { ...request, principal: { ...bare, ...names } }).permitted;
    return {
      roles: ROLES.filter((role) => mayWith({ roles: [role] })),
      permissions: PERMISSIONS.filter((permission) => mayWith({ permissions: [permission] })),
      known: policies.roles,
    };
  }
}

function ruleOf({ policyId, reason, role, approversMin }: ApprovalRule): StatementRule {
  return {
    id: policyId,
    ...(reason === undefined ? {} : { reason }),
    approval: role,
    ...(approversMin === 1 ? {} : { approvalsMin: approversMin }),
  };
}

function rulesOf(policies: readonly DecidingPolicy[]): readonly StatementRule[] {
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  return [...byId.values()].map(({ id, reason, approval, approvalsMin }) => ({
    id,
    ...(reason === undefined ? {} : { reason }),
    ...(approval === undefined ? {} : { approval }),
    ...(approvalsMin === undefined ? {} : { approvalsMin }),
  }));
}

/** The permissions in the shipped policies. */
const PERMISSIONS = ["manage:billing", "manage:schema", "manage:code", "manage:keys"] as const;
