import { createHash } from "node:crypto";
import { preparsePolicySet, statefulIsAuthorized } from "@cedar-policy/cedar-wasm/nodejs";
import { assert } from "@steward/kernel/assert.js";
import { durationMs } from "@steward/kernel/duration.js";
import { COMPILED_POLICY_SETS_MAX } from "../../policies/limits.js";
import type {
  CompiledPolicies,
  DecidingPolicy,
  PolicyDecision,
  PolicyEngine,
  PolicyProblem,
  PolicyRequest,
} from "../../policies/ports.js";
import { contextOf, entitiesOf, principalUid, resourceUid, uid } from "./entities.js";
import { problemsIn } from "./problems.js";
import { type ReadPolicy, readPolicies } from "./read-policies.js";

/**
 * A policy engine based on Cedar. Cedar caches each compiled policy set under a name and cannot
 * evict one. So a fixed number of names is reused, and a set whose name was given to another set is
 * compiled again when it is needed.
 */
export class CedarEngine implements PolicyEngine {
  readonly #schema: string;
  readonly #slots: PolicySlots;
  #compiled = 0;

  /**
   * @param schema text of the Cedar schema that policies are validated against.
   * @param setsMax limit of compiled sets.
   */
  constructor(schema: string, setsMax: number = COMPILED_POLICY_SETS_MAX) {
    this.#schema = schema;
    this.#slots = new PolicySlots(setsMax);
  }

  problemsIn(text: string): readonly PolicyProblem[] {
    return problemsIn(text, this.#schema);
  }

  compile(texts: readonly string[]): CompiledPolicies {
    this.#compiled += 1;
    const policies = texts.flatMap((text, index) =>
      readPolicies(text).map((policy) => ({ ...policy, isOwn: index > 0 })),
    );
    const version = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
    return new CedarPolicies({ id: this.#compiled, version }, policies, this.#slots);
  }
}

/** The names under which Cedar caches compiled sets. */
class PolicySlots {
  readonly #owners: (CedarPolicies | undefined)[] = [];
  readonly #setsMax: number;
  #next = 0;

  constructor(setsMax: number) {
    this.#setsMax = setsMax;
  }

  /** The name of this set; passes its policies to Cedar if they are not cached. */
  slotOf(set: CedarPolicies, known: number | undefined): number {
    if (known !== undefined && this.#owners[known] === set) return known;
    const slot = this.#next;
    this.#next = (slot + 1) % this.#setsMax;
    this.#owners[slot] = set;
    const answer = preparsePolicySet(String(slot), { staticPolicies: set.policies });
    assert(answer.type === "success", "policies that were checked can be compiled");
    return slot;
  }
}

/** Facts about a policy that need no evaluation. */
interface ReportedPolicy extends Pick<ReadPolicy, "actions"> {
  /** All words of the policy, without annotations and comments. */
  readonly words: ReadonlySet<string>;
  /** Whether it belongs to the organization, rather than to the shipped policies. */
  readonly isOwn: boolean;
}

function isAbout({ actions }: ReportedPolicy, asked: readonly string[] | undefined): boolean {
  if (asked === undefined || actions === undefined) return true;
  return actions.some((action) => asked.includes(action));
}

class CedarPolicies implements CompiledPolicies {
  readonly id: number;
  readonly version: string;
  readonly roles: ReadonlySet<string>;
  readonly tables: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
  readonly #told: readonly ReportedPolicy[];
  /** Memo of {@link mentions}. */
  readonly #mentioned = new Map<string, boolean>();
  /** Policies by their names in Cedar, which are their indices. */
  readonly policies: Readonly<Record<string, string>>;
  readonly #deciding: readonly DecidingPolicy[];
  readonly #slots: PolicySlots;
  #slot: number | undefined;

  constructor(
    { id, version }: Pick<CompiledPolicies, "id" | "version">,
    policies: readonly (ReadPolicy & { readonly isOwn: boolean })[],
    slots: PolicySlots,
  ) {
    this.id = id;
    this.version = version;
    this.roles = new Set(policies.flatMap(({ roles }) => roles));
    this.tables = new Set(policies.flatMap(({ tables }) => tables));
    this.columns = new Set(policies.flatMap(({ columns }) => columns));
    this.#told = policies.map(({ said, ...told }) => {
      return { ...told, words: new Set(said.match(/\w+/g)) };
    });
    this.policies = Object.fromEntries(policies.map(({ text }, index) => [String(index), text]));
    this.#deciding = policies.map(({ annotations }, index) => ({
      id: annotations["id"] ?? `policy ${String(index + 1)}`,
      ...(annotations["reason"] === undefined ? {} : { reason: annotations["reason"] }),
      ...approvalOf(annotations),
      ...rowsOf(annotations),
    }));
    this.#slots = slots;
  }

  mentions(name: string, actions?: readonly string[]): boolean {
    const key = actions === undefined ? name : `${name} ${actions.join(" ")}`;
    const known = this.#mentioned.get(key);
    if (known !== undefined) return known;
    const found = this.#told.some((policy) => policy.words.has(name) && isAbout(policy, actions));
    this.#mentioned.set(key, found);
    return found;
  }

  restricts(actions: readonly string[]): boolean {
    return this.#told.some((policy) => policy.isOwn && isAbout(policy, actions));
  }

  names(actions: readonly string[]): boolean {
    return this.#told.some(({ isOwn, words }) => isOwn && actions.some((name) => words.has(name)));
  }

  decide(request: PolicyRequest): PolicyDecision {
    this.#slot = this.#slots.slotOf(this, this.#slot);
    const answer = statefulIsAuthorized({
      principal: principalUid(request.principal),
      action: uid("Action", request.action),
      resource: resourceUid(request.resource),
      context: contextOf(request),
      preparsedPolicySetId: String(this.#slot),
      entities: entitiesOf(request),
    });
    assert(answer.type === "success", "a decision is asked for as the engine wants it");
    const { decision, diagnostics } = answer.response;
    if (diagnostics.errors.length > 0) {
      const failed = diagnostics.errors.map(({ policyId }) => this.#named(policyId));
      return { permitted: false, policies: failed };
    }
    return {
      permitted: decision === "allow",
      policies: diagnostics.reason.map((id) => this.#named(id)),
    };
  }

  #named(id: string): DecidingPolicy {
    return this.#deciding[Number(id)] ?? { id };
  }
}

/** What the annotations of a policy say of the number of changed rows. */
function rowsOf({
  rows_changed_max: rows,
}: ReadPolicy["annotations"]): Pick<DecidingPolicy, "rowsChangedMax" | "mayChangeUncounted"> {
  if (rows === undefined) return {};
  return rows === "unlimited" ? { mayChangeUncounted: true } : { rowsChangedMax: Number(rows) };
}

/** What the annotations of a policy say of approvals. */
function approvalOf(
  annotations: ReadPolicy["annotations"],
): Pick<DecidingPolicy, "approval" | "approvalsMin" | "approvalPlan" | "approvalStandingMs"> {
  const { approval, approvals_min: min, approval_plan: plan, approval_standing } = annotations;
  if (approval === undefined) return {};
  const standingMs = approval_standing === undefined ? undefined : durationMs(approval_standing);
  return {
    approval,
    ...(min === undefined ? {} : { approvalsMin: Number(min) }),
    // Another word was refused when the policy was put.
    ...(plan === "known" || plan === "derived" ? { approvalPlan: plan } : {}),
    ...(standingMs === undefined ? {} : { approvalStandingMs: standingMs }),
  };
}
