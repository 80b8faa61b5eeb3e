import { POLICY_DECISIONS_MAX } from "@steward/kernel/limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { PolicyPrincipal } from "./ports.js";
import { type Asker, principalOf } from "./principal.js";

/** What of a caller decides what policies see of it, beside its roles. */
type Seen = {
  readonly [
    Key in "kind" | "orgId" | "userId" | "agentId" | "keyId" | "authenticatedBy" | "permissions"
  ]: Asker[Key] | undefined;
};

/**
 * Callers as policies see them, each with a number, so that the key of a remembered decision is short. Every request
 * has a caller of its own, but those of one credential share the list of their roles: that finds them again.
 */
export class Principals {
  readonly #byRoles = new WeakMap<
    readonly string[],
    { readonly seen: Seen; readonly principal: PolicyPrincipal }
  >();
  readonly #numbers = new WeakMap<PolicyPrincipal, number>();
  readonly #numbersByText = new RecentMap<number>(POLICY_DECISIONS_MAX);
  #numbersGiven = 0;

  of(caller: Asker): PolicyPrincipal {
    const known = this.#byRoles.get(caller.roles);
    if (known !== undefined && isSame(known.seen, caller)) return known.principal;
    const { kind, orgId, userId, agentId, keyId, authenticatedBy, permissions } = caller;
    const principal = principalOf(caller);
    // Not the caller itself: a request would be kept with it.
    const seen = { kind, orgId, userId, agentId, keyId, authenticatedBy, permissions };
    this.#byRoles.set(caller.roles, { seen, principal });
    return principal;
  }

  /** Equal principals have equal numbers, for as long as they are remembered. */
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
