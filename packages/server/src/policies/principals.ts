import { POLICY_DECISIONS_MAX } from "./limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { CompiledPolicies, PolicyPrincipal } from "./ports.js";
import { type Asker, principalOf } from "./principal.js";

/** The attributes of a caller, beside its roles, that determine its principal. */
type Seen = {
  readonly [
    Key in "kind" | "orgId" | "userId" | "agentId" | "keyId" | "authenticatedBy" | "permissions"
  ]: Asker[Key] | undefined;
};

/**
 * Principals with numbers, which keep the keys of cached decisions short. Every request has a
 * caller object of its own, but those of one credential share the list of their roles, which finds
 * the principal again.
 */
export class Principals {
  readonly #byRoles = new WeakMap<
    readonly string[],
    {
      readonly seen: Seen;
      readonly known: ReadonlySet<string>;
      readonly principal: PolicyPrincipal;
    }
  >();
  readonly #numbers = new WeakMap<PolicyPrincipal, number>();
  readonly #numbersByText = new RecentMap<number>(POLICY_DECISIONS_MAX);
  #numbersGiven = 0;

  /** @param policies Those that will be asked: which roles they name decides what a caller is. */
  of(caller: Asker, { roles }: Pick<CompiledPolicies, "roles">): PolicyPrincipal {
    const found = this.#byRoles.get(caller.roles);
    if (found?.known === roles && isSame(found.seen, caller)) return found.principal;
    const { kind, orgId, userId, agentId, keyId, authenticatedBy, permissions } = caller;
    const principal = principalOf(caller, roles);
    // Not the caller itself, which would keep a whole request in memory.
    const seen = { kind, orgId, userId, agentId, keyId, authenticatedBy, permissions };
    this.#byRoles.set(caller.roles, { seen, known: roles, principal });
    return principal;
  }

  /** Equal principals have equal numbers while they are cached. */
  numberOf(principal: PolicyPrincipal): number {
    const known = this.#numbers.get(principal);
    if (known !== undefined) return known;
    const number = this.#numbersByText.getOrMake(JSON.stringify(principal), () => {
      this.#numbersGiven += 1;
      return this.#numbersGiven;
    });
    this.#numbers.set(principal, number);
    return number;
  }
}

function isSame(a: Seen, b: Asker): boolean {
  return (
    a.orgId === b.orgId &&
    a.kind === b.kind &&
    a.userId === b.userId &&
    a.agentId === b.agentId &&
    a.keyId === b.keyId &&
    a.authenticatedBy === b.authenticatedBy &&
    a.permissions === b.permissions
  );
}
