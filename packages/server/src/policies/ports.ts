import type { CallerKind } from "@steward/kernel/caller.js";
import type { WholePlanValues } from "../governance/index.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

/** The caller as policies see it. */
export interface PolicyPrincipal {
  readonly kind: CallerKind;
  /** Id of the user, the agent or the API key; empty when none is given. */
  readonly id: string;
  readonly orgId: string;
  /** Lower case, without duplicates. */
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  /** The user; for an agent, the user that it acts for. */
  readonly user?: string;
  readonly namedByHeaders: boolean;
  /** Whether the credential is an agent's. */
  readonly isAgent: boolean;
  readonly tryingOut: boolean;
  /** Nobody vouches for the caller, whatever role is named. */
  readonly onPlainLoopback: boolean;
}

/** The target of a request, which belongs to an organization. */
export type PolicyResource = { readonly orgId: string } & (
  | { readonly kind: "organization" }
  | { readonly kind: "dataSource"; readonly dataSource: string }
  | { readonly kind: "table"; readonly dataSource: string; readonly table: string }
  | {
      readonly kind: "column";
      readonly dataSource: string;
      readonly table: string;
      readonly column: string;
    }
  | { readonly kind: "branch"; readonly branch: string }
  | { readonly kind: "memorySession"; readonly session: string }
);

/** The `context` of a request in Cedar. */
export interface RequestContext {
  /** Hour of the day in UTC, 0 to 23. */
  readonly hour: number;
  /** Whether a person has approved it. */
  readonly approved: boolean;
  /** For requests about the memory: whether texts are sent to another machine to be embedded. */
  readonly providerIsRemote?: boolean;
}

/** The `context` of a request to make a memory entry for a tool call. */
export interface RecordingContext extends RequestContext {
  readonly intent: string;
  readonly tables: readonly string[];
  /** As in `orders/email`. */
  readonly columns: readonly string[];
  readonly functions: readonly string[];
  readonly providerIsRemote: boolean;
}

/** The `context` of a request to run a statement. */
export interface StatementContext extends RequestContext {
  readonly intent: string;
  /** Agentic activity units. */
  readonly aau: number;
  readonly tables: readonly string[];
  /** As in `orders/email`. */
  readonly columns: readonly string[];
  /** Called functions whose effects are unknown. */
  readonly functions: readonly string[];
  readonly rowsChangedMax: number;
}

/** One request for a decision. */
export interface PolicyRequest {
  readonly principal: PolicyPrincipal;
  readonly action: string;
  readonly actionGroups: readonly string[];
  readonly resource: PolicyResource;
  readonly context: RequestContext | StatementContext | RecordingContext;
}

/** A policy that decided, with its annotations. */
export interface DecidingPolicy {
  /** The annotation `@id`, else the policy's number in its text. */
  readonly id: string;
  /** The annotation `@reason`. */
  readonly reason?: string;
  /** The annotation `@approval`: the role of those who must approve what the policy forbids. */
  readonly approval?: string;
  /** The annotation `@approvals_min`: how many of them must approve; absent: one. */
  readonly approvalsMin?: number;
  /** The annotation `@approval_plan`: whether the approval of a whole plan is enough. */
  readonly approvalPlan?: WholePlanValues;
  /** The annotation `@approval_standing`, in ms: how long an approval may stand for later statements. */
  readonly approvalStandingMs?: number;
  /** The annotation `@rows_changed_max`: the policy forbids only changes of more rows. */
  readonly rowsChangedMax?: number;
  /**
   * The annotation `@rows_changed_max("unlimited")`: what the policy permits, or what is approved because
   * of it, may change rows that the database does not count.
   */
  readonly mayChangeUncounted?: true;
}

/** The decision of a set of policies. */
export interface PolicyDecision {
  readonly permitted: boolean;
  /** The policies that permit, or those that forbid; empty when no policy permits. */
  readonly policies: readonly DecidingPolicy[];
}

/** One version of an organization's own policies. */
export interface OrganizationPolicies {
  readonly orgId: string;
  /** From 1. */
  readonly version: number;
  readonly text: string;
  /** User, agent or API key. */
  readonly changedBy: string;
  /** Milliseconds since the epoch. */
  readonly changedAtMs: number;
}

/**
 * Stores the policies of organizations. A new version is durable, and visible to every node, when
 * `put` resolves. Every method may reject with AppError `STORE_UNAVAILABLE`.
 */
export interface PolicyStore {
  /** The version in force; `undefined` when the organization has none. */
  latest(orgId: string): Promise<OrganizationPolicies | undefined>;

  /** @returns false, with nothing changed, unless its version follows the latest. */
  put(policies: OrganizationPolicies, operation?: RecordedOperation): Promise<boolean>;
}

/** Checks texts of callers outside the server's event loop. */
export interface PolicyChecker {
  /**
   * The problems of a text; empty when it can be put into force.
   * @throws AppError `OVERLOADED` when too many are being checked.
   */
  check(text: string): Promise<readonly PolicyProblem[]>;
}

/** A problem in a text of policies, with its position. */
export interface PolicyProblem {
  readonly message: string;
  /** From 1; the first character when the engine names no position. */
  readonly line: number;
  readonly column: number;
}

export interface CompiledPolicies {
  /** Identifies the set within this process. */
  readonly id: number;
  /** SHA-256 of its texts, in hexadecimal: the same in every process. */
  readonly version: string;
  /** The roles that its policies name, those of approvers included. */
  readonly roles: ReadonlySet<string>;
  /** The tables that its policies name, as in `shop/orders`. */
  readonly tables: ReadonlySet<string>;
  /** The columns that its policies name, as in `shop/orders/email`. */
  readonly columns: ReadonlySet<string>;
  /**
   * Whether a policy mentions a type or an attribute of this name.
   * @param actions Names of actions and groups; only policies about one of them count. Absent: all
   * policies.
   */
  mentions(name: string, actions?: readonly string[]): boolean;

  /** Whether one of the organization's own policies is about one of these actions or groups. */
  restricts(actions: readonly string[]): boolean;

  /**
   * Whether one of the organization's own policies names one of these actions, in its scope or in a
   * condition.
   */
  names(actions: readonly string[]): boolean;

  /**
   * Decides one request. A policy whose evaluation fails counts as forbidding, because its author
   * meant to restrict the request.
   */
  decide(request: PolicyRequest): PolicyDecision;
}

/** The source of each organization's policies. */
export interface PolicySource {
  /** The shipped policies alone. */
  readonly shipped: CompiledPolicies;
  /** The policies in force for an organization now. @throws AppError `STORE_UNAVAILABLE`. */
  of(orgId: string): CompiledPolicies | Promise<CompiledPolicies>;
}

/** Checks and compiles texts of policies. */
export interface PolicyEngine {
  /** The syntax and schema problems of a text; empty when it can be used. */
  problemsIn(text: string): readonly PolicyProblem[];

  /**
   * Compiles several texts into one set; {@link problemsIn} must have found no problems in them.
   * @param texts The shipped policies, then an organization's own.
   */
  compile(texts: readonly string[]): CompiledPolicies;
}
