import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";

/**
 * What a caller can ask for, as `group:operation`. Each operation of each protocol is one of these
 * (`transport/operations.ts`), and a scope of an API key is an action or a whole group.
 */
export const ACTIONS: readonly Action[] = [
  ...(["plans:submit", "plans:execute", "plans:cancel", "plans:retry", "plans:read"] as const),
  // Not an operation: the right that the plans of others need in addition.
  ...(["plans:read_all"] as const),
  ...(["memory:read", "memory:write", "memory:purge", "memory:retention"] as const),
  ...(["catalog:read"] as const),
  ...(["state:read", "state:write", "state:refs", "state:maintain"] as const),
  ...(["migrations:read", "migrations:propose", "migrations:apply", "migrations:revert"] as const),
  // Not an operation: the right that a migration needs in addition when it defines code.
  ...(["migrations:code"] as const),
  ...(["usage:read", "usage:read_all", "usage:report", "usage:repair"] as const),
  ...(["prices:read", "prices:write"] as const),
  ...(["budgets:read", "budgets:write"] as const),
  ...(["payments:read", "payments:write", "payments:rebind"] as const),
  ...(["keys:read", "keys:write"] as const),
  ...(["policies:read", "policies:write"] as const),
  ...(["retention:read", "retention:write", "holds:write", "erasure:run"] as const),
  ...(["approvals:read", "approvals:decide"] as const),
  ...(["webhooks:read", "webhooks:write"] as const),
  ...(["metrics:read", "system:read"] as const),
  ...(["audit:read", "audit:export"] as const),
];

export type Action =
  | `plans:${"submit" | "execute" | "cancel" | "retry" | "read" | "read_all"}`
  | `memory:${"read" | "write" | "purge" | "retention"}`
  | "catalog:read"
  | `state:${"read" | "write" | "refs" | "maintain"}`
  | `migrations:${"read" | "propose" | "apply" | "revert" | "code"}`
  | `usage:${"read" | "read_all" | "report" | "repair"}`
  | `prices:${"read" | "write"}`
  | `budgets:${"read" | "write"}`
  | `payments:${"read" | "write" | "rebind"}`
  | `keys:${"read" | "write"}`
  | `policies:${"read" | "write"}`
  | `retention:${"read" | "write"}`
  | "holds:write"
  | `approvals:${"read" | "decide"}`
  | "erasure:run"
  | `webhooks:${"read" | "write"}`
  | "metrics:read"
  | "system:read"
  | `audit:${"read" | "export"}`;

/** The groups of the actions, such as `plans` and `memory`. */
export const ACTION_GROUPS: readonly string[] = [...new Set(ACTIONS.map(groupOf))];

/** The part of an action before the colon. */
export function groupOf(action: Action): string {
  return action.slice(0, action.indexOf(":"));
}

/** Whether a text is a scope: an action, or a group. */
export function isScope(text: string): boolean {
  return ACTION_GROUPS.includes(text) || ACTIONS.some((action) => action === text);
}

/** Whether an action is one of the scopes or in a group of theirs; without scopes there is no limit. */
export function scopesCover(scopes: readonly string[] | undefined, action: Action): boolean {
  if (scopes === undefined) return true;
  return scopes.includes(action) || scopes.includes(groupOf(action));
}

/**
 * Checks that a caller's API key has no scopes, or one that covers the action.
 * @throws AppError `POLICY_DENIED`, naming the missing scope.
 */
export function requireScope({ scopes }: Pick<Caller, "scopes">, action: Action): void {
  if (scopes === undefined || scopesCover(scopes, action)) return;
  throw new AppError(
    "POLICY_DENIED",
    `The API key is limited to ${scopes.join(", ")}; this needs a key with the scope ${action} or ${groupOf(action)}`,
  );
}
