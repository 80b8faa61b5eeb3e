import {
  ApprovalRequired,
  liftedPolicy,
  OperationApprovalRequired,
  type ExplainedStatementPolicy,
  type Intent,
  type NeededApproval,
  type OutputToHandOut,
  type PlannedStatement,
  type StatementDecision,
  type StatementGrant,
} from "../governance/index.js";
import { type Action, groupOf, requireScope } from "../identity/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { hasRole } from "@steward/kernel/role-name.js";
import type { ToolCallRecord } from "../kernel/tool-call.js";
import { actionGroupsOf } from "./action-groups.js";
import { Decisions } from "./decisions.js";
import { Principals } from "./principals.js";
import type {
  CompiledPolicies,
  DecidingPolicy,
  PolicyRequest,
  PolicyResource,
  PolicySource,
  RequestContext,
} from "./ports.js";
import type { CallToRemember } from "./remembering.js";
import { type AskedStatement, asksForEffects, type StatementLimits } from "./statements.js";
import { permitOutput, RecalledData } from "./stored-outputs.js";
import { ABOUT_DATA } from "./touched-parts.js";

/** The answer of the policies to a question. */
export interface Explained extends StatementGrant {
  readonly permitted: boolean;
  /** The policies that permit. */
  readonly policies: readonly DecidingPolicy[];
  /** The reason for a denial: the error of the request, whose details name the policies. */
  readonly refusal?: AppError;
}

/** Whether the approval under which the caller's operation runs lifts everything that forbids it. */
function isLifted(
  { approvedUnder }: Caller,
  refusal: AppError,
): refusal is OperationApprovalRequired {
  if (approvedUnder === undefined || !(refusal instanceof OperationApprovalRequired)) return false;
  const { action, needed } = refusal;
  return needed.rules.every(({ policyId }) => approvedUnder.has(liftedPolicy(action, policyId)));
}

/** A policy that forbids even what was approved, because it does not look at `context.approved`. */
function forbiddenDespite({
  needed,
  message,
  details,
}: ApprovalRequired | OperationApprovalRequired): AppError {
  const names = needed.rules.map(({ policyId }) => policyId).join(" and ");
  return new AppError(
    "POLICY_DENIED",
    `${message}, and it was approved, but the policy ${names} still forbids it: ` +
      "an admin has to add `unless { context.approved }` to the policy",
    { details },
  );
}

const HOUR_MS = 3_600_000;

function isRefusal({ code }: AppError): boolean {
  return code === "POLICY_DENIED" || code === "APPROVAL_REQUIRED";
}

/** Dependencies of an authorizer. */
export interface AuthorizerParts {
  readonly policies: PolicySource;
  readonly clock: Clock;
  readonly statements: StatementLimits;
  /** Whether texts of the memory are sent to another machine to be embedded. */
  readonly providerIsRemote: boolean;
}

/**
 * Decides whether a caller may do something. It is the only such place, asked before every
 * operation of every protocol and before every statement. An action that no policy permits is
 * denied.
 */
export class Authorizer implements ExplainedStatementPolicy {
  readonly #parts: AuthorizerParts;
  readonly #principals = new Principals();
  readonly #decisions = new Decisions(this.#principals);
  readonly #recalled = new RecalledData();

  constructor(parts: AuthorizerParts) {
    this.#parts = parts;
  }

  /**
   * Permits the action or throws.
   * @param resource The target of the action; absent: the caller's organization as a whole.
   * @throws AppError `POLICY_DENIED`, naming what is missing and, in its details, the policy that
   * decided; `APPROVAL_REQUIRED` when a person would have to approve.
   */
  async authorize(caller: Caller, action: Action, resource?: PolicyResource): Promise<void> {
    requireScope(caller, action);
    const policies = await this.#policiesFor(caller, action);
    const ask = (): void => {
      const request = this.#requestOf(policies, caller, action, resource);
      const decision = this.#decisions.decide(policies, request);
      if (decision.permitted) return;
      const refusal = this.#decisions.refusal(policies, request, decision);
      if (!isLifted(caller, refusal)) throw refusal;
      const approved = { ...request, context: { ...request.context, approved: true } };
      if (!this.#decisions.decide(policies, approved).permitted) throw forbiddenDespite(refusal);
    };
    // What an approval lifts for one operation is never remembered.
    if (resource === undefined && caller.approvedUnder === undefined) {
      const asked = {
        principal: this.#principals.of(caller, policies),
        action,
        hour: this.#hour(),
      };
      this.#decisions.pass(policies, asked, ask);
    } else ask();
  }

  /** Whether the caller may do this, or may ask for it when somebody has to approve. */
  async mayDo(caller: Caller, action: Action): Promise<boolean> {
    try {
      await this.authorize(caller, action);
      return true;
    } catch (error) {
      if (!(error instanceof AppError) || !isRefusal(error)) throw error;
      return error.code === "APPROVAL_REQUIRED";
    }
  }

  async looksAtData({ orgId }: Caller, kinds: readonly Intent[] = []): Promise<boolean> {
    const policies = await this.#parts.policies.of(orgId);
    return ABOUT_DATA.some((name) => policies.mentions(name)) || asksForEffects(policies, kinds);
  }

  async permit(
    caller: Caller,
    statement: PlannedStatement,
    isApproved?: (needed: NeededApproval) => boolean,
  ): Promise<StatementGrant> {
    const policies = await this.#parts.policies.of(caller.orgId);
    const { statements } = this.#parts;
    const asked = this.#askedOf(policies, caller, statement);
    let isUnlimited: boolean;
    try {
      return this.#decisions.permit(policies, asked, statements);
    } catch (refusal) {
      if (!(refusal instanceof ApprovalRequired)) throw refusal;
      if (isApproved?.(refusal.needed) !== true) throw refusal;
      isUnlimited = refusal.needed.rules.some((rule) => rule.mayChangeUncounted === true);
    }
    const circumstances = { ...asked.circumstances, approved: true };
    try {
      const grant = this.#decisions.permit(policies, { ...asked, circumstances }, statements);
      return isUnlimited ? { ...grant, mayChangeUncounted: true } : grant;
    } catch (refusal) {
      throw refusal instanceof ApprovalRequired ? forbiddenDespite(refusal) : refusal;
    }
  }

  async permitOutput(caller: Caller, output: OutputToHandOut): Promise<void> {
    const { dataSource, touched } = output;
    const policies = await this.#parts.policies.of(caller.orgId);
    permitOutput(caller, output, touched && this.#recalled.of(touched), (asked, data) => {
      const statement = { dataSource, ...asked, ...(data && { touched: data }) };
      return this.#decisions.permit(
        policies,
        this.#askedOf(policies, caller, statement),
        this.#parts.statements,
      );
    });
  }

  async versionFor({ orgId }: Caller): Promise<string> {
    return (await this.#parts.policies.of(orgId)).version;
  }

  async decide(caller: Caller, statement: PlannedStatement): Promise<StatementDecision> {
    const policies = await this.#parts.policies.of(caller.orgId);
    const asked = this.#askedOf(policies, caller, statement);
    return this.#decisions.explain(policies, asked, this.#parts.statements);
  }

  /**
   * Whether the policies in force allow a memory entry for a tool call. @throws AppError
   * `STORE_UNAVAILABLE`.
   */
  async mayRemember(call: ToolCallRecord): Promise<boolean> {
    const { orgId, caller, sessionId, dataSource, intent, touched } = call;
    const policies = await this.#parts.policies.of(orgId);
    const session = policies.mentions("MemorySession") ? sessionId : "";
    const shape = [orgId, caller, session, dataSource, intent, touched, this.#hour()];
    return this.#decisions.mayRemember(policies, JSON.stringify(shape), () => {
      const principal = caller && this.#principals.of({ ...caller, orgId }, policies);
      const asked = { orgId, principal, sessionId, dataSource, intent, touched };
      return this.#refusalToRemember(policies, asked) === undefined;
    });
  }

  /** The result of {@link mayRemember}, with its reasons. */
  async explainRecording(
    caller: Caller,
    call: Pick<CallToRemember, "dataSource" | "intent" | "touched">,
  ): Promise<Explained> {
    const { orgId, sessionId = "" } = caller;
    const policies = await this.#parts.policies.of(orgId);
    const principal = this.#principals.of(caller, policies);
    const asked = { orgId, principal, sessionId, ...call };
    const refusal = this.#refusalToRemember(policies, asked);
    return { permitted: refusal === undefined, policies: [], ...(refusal && { refusal }) };
  }

  #refusalToRemember(
    policies: CompiledPolicies,
    call: Omit<CallToRemember, "circumstances">,
  ): AppError | undefined {
    const { providerIsRemote } = this.#parts;
    const circumstances = { ...this.#circumstances(), providerIsRemote };
    return this.#decisions.refusalToRemember(policies, { ...call, circumstances });
  }

  /**
   * The result of {@link authorize} or {@link permit}, with its reasons and without regard to a
   * key's scopes.
   * @param asked An action on the organization as a whole, or a statement.
   */
  async explain(caller: Caller, asked: Action | PlannedStatement): Promise<Explained> {
    const policies = await this.#policiesFor(caller, asked);
    try {
      if (typeof asked === "string") {
        const request = this.#requestOf(policies, caller, asked);
        const { permitted, policies: deciding } = this.#decisions.decide(policies, request);
        if (permitted) return { permitted, policies: deciding };
        throw this.#decisions.refusal(policies, request, { permitted, policies: deciding });
      }
      const grant = await this.permit(caller, asked);
      return { permitted: true, policies: [], ...grant };
    } catch (refusal) {
      if (!(refusal instanceof AppError) || !isRefusal(refusal)) throw refusal;
      return { permitted: false, policies: [], refusal };
    }
  }

  /**
   * The policies that decide. An operator can manage policies whatever the organization's own
   * policies forbid: otherwise nobody could remove a policy that forbids everything.
   */
  #policiesFor(
    caller: Caller,
    asked: Action | PlannedStatement,
  ): CompiledPolicies | Promise<CompiledPolicies> {
    const { policies } = this.#parts;
    const isAboutPolicies = typeof asked === "string" && groupOf(asked) === "policies";
    return isAboutPolicies && hasRole(caller, "operator")
      ? policies.shipped
      : policies.of(caller.orgId);
  }

  #askedOf(
    policies: CompiledPolicies,
    caller: Caller,
    statement: PlannedStatement,
  ): AskedStatement {
    const principal = this.#principals.of(caller, policies);
    return { principal, statement, circumstances: this.#circumstances() };
  }

  #requestOf(
    policies: CompiledPolicies,
    caller: Caller,
    action: Action,
    resource: PolicyResource = { kind: "organization", orgId: caller.orgId },
  ): PolicyRequest {
    return {
      principal: this.#principals.of(caller, policies),
      action,
      actionGroups: actionGroupsOf(action),
      resource,
      context: this.#contextOf(action),
    };
  }

  #contextOf(action: Action): RequestContext {
    const { providerIsRemote } = this.#parts;
    const circumstances = this.#circumstances();
    return groupOf(action) === "memory" ? { ...circumstances, providerIsRemote } : circumstances;
  }

  #circumstances(): RequestContext {
    return { hour: this.#hour(), approved: false };
  }

  /** Hour of the day in UTC. */
  #hour(): number {
    return Math.floor(this.#parts.clock.nowMs() / HOUR_MS) % 24;
  }
}
