import type { CallerKind } from "@steward/kernel/caller.js";

/** Who asks, as policies see them. */
export interface PolicyPrincipal {
  readonly kind: CallerKind;
  /** Of the person, the agent or the API key; empty when nobody is named. */
  readonly id: string;
  readonly orgId: string;
  /** Lower case, without duplicates. */
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  /** The person; of an agent, the one it acts for. */
  readonly user?: string;
  readonly namedByHeaders: boolean;
  readonly tryingOut: boolean;
}

/** What is asked for: a thing of an organization. */
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

/** The circumstances of a request. */
export interface RequestContext {
  /** Of the day in UTC, 0 to 23. */
  readonly hour: number;
  /** Whether a person has approved it. */
  readonly approved: boolean;
  /** Of what is about the memory: whether texts are sent to another machine to be embedded. */
  readonly providerIsRemote?: boolean;
}

/** The circumstances of a tool call that is to become an entry of the memory. */
export interface RecordingContext extends RequestContext {
  readonly intent: string;
  readonly tables: readonly string[];
  /** As in `orders/email`. */
  readonly columns: readonly string[];
  readonly functions: readonly string[];
  readonly providerIsRemote: boolean;
}

/** The circumstances of a statement. */
export interface StatementContext extends RequestContext {
  readonly intent: string;
  /** Agentic activity units. */
  readonly aau: number;
  readonly tables: readonly string[];
  /** As in `orders/email`. */
  readonly columns: readonly string[];
  /** Functions that it calls and nobody can see into. */
  readonly functions: readonly string[];
  readonly rowsChangedMax: number;
}

/** One question to a set of policies. */
export interface PolicyRequest {
  readonly principal: PolicyPrincipal;
  readonly action: string;
  /** The groups that the action is in. */
  readonly actionGroups: readonly string[];
  readonly resource: PolicyResource;
  readonly context: RequestContext | StatementContext | RecordingContext;
}

/** A policy that decided, and what its annotations say. */
export interface DecidingPolicy {
  /** The annotation `@id`, else the policy's number in its text. */
  readonly id: string;
  /** The annotation `@reason`. */
  readonly reason?: string;
  /** The annotation `@approval`: who has to approve what the policy forbids. */
  readonly approval?: string;
  /** The annotation `@rows_changed_max`: it forbids only to change more rows. */
  readonly rowsChangedMax?: number;
}

/** What a set of policies answers. */
export interface PolicyDecision {
  readonly permitted: boolean;
  /** The policies that permit, or those that forbid; none when no policy permits. */
  readonly policies: readonly DecidingPolicy[];
}

/** One version of an organization's own policies. */
export interface OrganizationPolicies {
  readonly orgId: string;
  /** From 1. */
  readonly version: number;
  readonly text: string;
  /** Person, agent or API key. */
  readonly changedBy: string;
  /** Milliseconds since the epoch. */
  readonly changedAtMs: number;
}

/**
 * Keeps the policies of organizations. What was put is durable, and seen by every node, when `put` resolves.
 * Every method may reject with AppError `STORE_UNAVAILABLE`.
 */
export interface PolicyStore {
  /** The version in force; `undefined` when the organization has put none. */
  latest(orgId: string): Promise<OrganizationPolicies | undefined>;

  /** @returns false, with nothing changed, unless its version is the one after the latest. */
  put(policies: OrganizationPolicies): Promise<boolean>;
}

/** Checks texts that callers send, apart from the server's event loop. */
export interface PolicyChecker {
  /**
   * What is wrong with a text; empty when it may be put.
   * @throws AppError `OVERLOADED` when too many are being checked.
   */
  check(text: string): Promise<readonly PolicyProblem[]>;
}

/** What is wrong with a text of policies, and where. */
export interface PolicyProblem {
  readonly message: string;
  /** From 1; the first character where the engine names no place. */
  readonly line: number;
  readonly column: number;
}

/** Policies that are ready to decide. */
export interface CompiledPolicies {
  /** Tells the set from every other one. */
  readonly id: number;
  /**
   * Whether a policy speaks of a type or an attribute of this name.
   * @param actions Names of actions and groups; only policies about one of them count. Absent: all policies.
   */
  mentions(name: string, actions?: readonly string[]): boolean;

  /** Whether a policy of the organization's own is about one of these actions or groups. */
  restricts(actions: readonly string[]): boolean;

  /**
   * Decides one request. A policy that cannot be evaluated counts as one that forbids: whoever wrote it meant
   * to say something about the request.
   */
  decide(request: PolicyRequest): PolicyDecision;
}

/** Where the policies of each organization come from. */
export interface PolicySource {
  /** The shipped policies alone. */
  readonly shipped: CompiledPolicies;
  /** The policies that count for an organization now. @throws AppError `STORE_UNAVAILABLE`. */
  of(orgId: string): CompiledPolicies | Promise<CompiledPolicies>;
}

/** Checks and compiles texts of policies. */
export interface PolicyEngine {
  /** What is wrong with a text, by its syntax or by the schema; empty when it may be used. */
  problemsIn(text: string): readonly PolicyProblem[];

  /**
   * Policies of several texts as one set, texts that {@link problemsIn} has nothing against.
   * @param texts The shipped policies, then an organization's own.
   */
  compile(texts: readonly string[]): CompiledPolicies;
}
