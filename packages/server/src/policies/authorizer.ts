import {
  ApprovalRequired,
  type ApprovalRule,
  liftedPolicy,
  OperationApprovalRequired,
  type ExplainedStatementPolicy,
  type Intent,
  type NeededApproval,
  type OutputToHandOut,
  type PlannedStatement,
  type StatementDecision,
  type StatementGrant,
  type TouchedData,
} from "../governance/index.js";
import { type Action, groupOf, requireScope } from "../identity/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import { AppError } from "@steward/kernel/errors.js";
import { hasRole } from "@steward/kernel/role-name.js";
import { sourcesOfCall, type CallOrigin } from "../kernel/tool-call.js";
import { actionGroupsOf } from "./action-groups.js";
import { Decisions } from "./decisions.js";
import { operationApproval } from "./denial.js";
import type { Asker } from "./principal.js";
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
import { everythingIn, permitOutput, RecalledData } from "./stored-outputs.js";
import { ABOUT_DATA } from "./touched-parts.js";
import { decideForAll, forEachWriter, permitToAll, permitWithRuns } from "./writers.js";

/** The answer of the policies to a question. */
export interface Explained extends StatementGrant {
  readonly permitted: boolean;
  /** The policies that permit. */
  readonly policies: readonly DecidingPolicy[];
  /** The reason for a denial: the error of the request, whose details name the policies. */
  readonly refusal?: AppError;
}

/** Whether the approval under which the caller's operation runs lifts all these policies. */
function isLifted(
  { approvedUnder }: Caller,
  action: string,
  rules: readonly ApprovalRule[],
): boolean {
  if (approvedUnder === undefined) return false;
  return rules.every(({ policyId }) => approvedUnder.has(liftedPolicy(action, policyId)));
}

const HOUR_MS = 3_600_000;

function looksAtData(policies: CompiledPolicies, kinds: readonly Intent[]): boolean {
  for (const name of ABOUT_DATA) if (policies.mentions(name)) return true;
  return asksForEffects(policies, kinds);
}

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
   * Permits the action or rejects; at once when the policies are in memory.
   * @param resource The target of the action; absent: the caller's organization as a whole.
   * @throws AppError `POLICY_DENIED`, naming what is missing and, in its details, the policy that
   * decided; `APPROVAL_REQUIRED` when it would be permitted if persons approved it.
   */
  authorize(
    caller: Caller,
    action: Action,
    resource?: PolicyResource,
  ): undefined | Promise<undefined> {
    return whenKnown(undefined, () => {
      requireScope(caller, action);
      return whenKnown(this.#policiesFor(caller, action), (policies) => {
        this.#authorize(policies, caller, action, resource);
        return undefined;
      });
    });
  }

  #authorize(
    policies: CompiledPolicies,
    caller: Caller,
    action: Action,
    resource: PolicyResource | undefined,
  ): void {
    const ask = (asker: Asker = caller): void => {
      const request = this.#requestOf(policies, asker, action, resource);
      const decision = this.#decisions.decide(policies, request);
      if (decision.permitted) return;
      const refusal = this.#decisions.refusal(policies, request, decision);
      if (!(refusal instanceof OperationApprovalRequired)) throw refusal;
      if (!isLifted(caller, refusal.action, refusal.needed.rules)) throw refusal;
    };
    // What an approval lifts for one operation is never remembered.
    if (resource === undefined && caller.approvedUnder === undefined) {
      const asked = {
        principal: this.#principals.of(caller, policies),
        action,
        hour: this.#hour(),
      };
      this.#decisions.pass(policies, asked, () => {
        ask();
      });
    } else ask();
    forEachWriter(caller, ask);
  }

  /**
   * Permits an operation as what it does, which is to run statements: whatever forbids them forbids it too, and
   * what demands an approval of them demands one here. That the caller may do it at all is for {@link authorize} to
   * decide.
   * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`.
   */
  async authorizeStatement(
    caller: Caller,
    action: Action,
    statement: PlannedStatement,
  ): Promise<void> {
    try {
      await this.permit(caller, statement, ({ rules }) => isLifted(caller, action, rules));
    } catch (refusal) {
      if (!(refusal instanceof ApprovalRequired)) throw refusal;
      throw operationApproval(action, refusal.needed, refusal.details);
    }
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

  looksAtData({ orgId }: Caller, kinds: readonly Intent[] = []): boolean | Promise<boolean> {
    const policies = this.#parts.policies.of(orgId);
    return policies instanceof Promise
      ? policies.then((read) => looksAtData(read, kinds))
      : looksAtData(policies, kinds);
  }

  permit(
    caller: Caller,
    statement: PlannedStatement,
    isApproved?: (needed: NeededApproval) => boolean,
  ): StatementGrant | Promise<StatementGrant> {
    return whenKnown(this.#parts.policies.of(caller.orgId), (policies) => {
      const permit = (one: PlannedStatement, isMet: typeof isApproved): StatementGrant =>
        permitToAll(
          caller,
          (asker, isOk) => this.#permit(policies, this.#askedOf(policies, asker, one), isOk),
          isMet,
        );
      return statement.runs === undefined
        ? permit(statement, isApproved)
        : permitWithRuns(statement, statement.runs, permit, isApproved);
    });
  }

  #permit(
    policies: CompiledPolicies,
    asked: AskedStatement,
    isMet: (refusal: ApprovalRequired) => boolean,
  ): StatementGrant {
    const { statements } = this.#parts;
    let isUnlimited: boolean;
    try {
      return this.#decisions.permit(policies, asked, statements);
    } catch (refusal) {
      if (!(refusal instanceof ApprovalRequired)) throw refusal;
      if (!isMet(refusal)) throw refusal;
      isUnlimited = refusal.needed.rules.some((rule) => rule.mayChangeUncounted === true);
    }
    const circumstances = { ...asked.circumstances, approved: true };
    const grant = this.#decisions.permit(policies, { ...asked, circumstances }, statements);
    return isUnlimited ? { ...grant, mayChangeUncounted: true } : grant;
  }

  async permits(...asked: Parameters<ExplainedStatementPolicy["permit"]>): Promise<boolean> {
    try {
      await this.permit(...asked);
      return true;
    } catch (error) {
      if (!(error instanceof AppError) || !isRefusal(error)) throw error;
      return false;
    }
  }

  permitOutput(caller: Caller, output: OutputToHandOut): undefined | Promise<undefined> {
    return whenKnown(this.#parts.policies.of(caller.orgId), (policies) => {
      this.#permitOutput(policies, caller, output);
      return undefined;
    });
  }

  #permitOutput(policies: CompiledPolicies, caller: Caller, output: OutputToHandOut): void {
    const { dataSource, touched } = output;
    const data = touched && this.#recalled.of(touched);
    const everything = (): TouchedData | undefined => {
      const all = everythingIn(dataSource, policies);
      return all && this.#recalled.of(all);
    };
    const ask = (asker: Asker): void => {
      const permit: Parameters<typeof permitOutput>[3] = (asked, told) => {
        const { intent, kinds } = asked;
        const statement =
          asked === output && told === undefined
            ? // Without data it is a planned statement, by which its decision is found again.
              (output as PlannedStatement)
            : { dataSource, intent, ...(kinds && { kinds }), ...(told && { touched: told }) };
        return this.#decisions.permit(
          policies,
          this.#askedOf(policies, asker, statement),
          this.#parts.statements,
        );
      };
      permitOutput(asker, output, data, permit, everything);
    };
    ask(caller);
    forEachWriter(caller, ask);
  }

  versionFor({ orgId }: Caller): string | Promise<string> {
    const policies = this.#parts.policies.of(orgId);
    return policies instanceof Promise ? policies.then((read) => read.version) : policies.version;
  }

  async decide(caller: Caller, statement: PlannedStatement): Promise<StatementDecision> {
    const policies = await this.#parts.policies.of(caller.orgId);
    return decideForAll(caller, statement, (asker, one) =>
      this.#decisions.explain(
        policies,
        this.#askedOf(policies, asker, one),
        this.#parts.statements,
      ),
    );
  }

  /**
   * Whether the policies in force allow a memory entry for a tool call: for each statement that its
   * output comes from. @throws AppError `STORE_UNAVAILABLE`.
   */
  async mayRemember(call: CallOrigin): Promise<boolean> {
    const { orgId, caller, sessionId } = call;
    const policies = await this.#parts.policies.of(orgId);
    const session = policies.mentions("MemorySession") ? sessionId : "";
    return sourcesOfCall(call).every(({ dataSource, intent, touched }) => {
      const shape = [orgId, caller, session, dataSource, intent, touched, this.#hour()];
      return this.#decisions.mayRemember(policies, JSON.stringify(shape), () => {
        const principal = caller && this.#principals.of({ ...caller, orgId }, policies);
        const asked = { orgId, principal, sessionId, dataSource, intent, touched };
        return this.#refusalToRemember(policies, asked) === undefined;
      });
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

  #askedOf(policies: CompiledPolicies, caller: Asker, statement: PlannedStatement): AskedStatement {
    const principal = this.#principals.of(caller, policies);
    return { principal, statement, circumstances: this.#circumstances() };
  }

  #requestOf(
    policies: CompiledPolicies,
    caller: Asker,
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
