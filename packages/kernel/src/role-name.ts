import type { Caller } from "./caller.js";

/**
 * The syntax of role names, for shipped roles and an organization's own, as a sentence for error
 * messages.
 */
export const ROLE_RULE =
  "must be 1 to 128 visible characters of ASCII; spaces may stand between them";

const ROLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/**
 * Normalizes a role name for comparison: lower case, trimmed. A role that no policy names grants
 * nothing.
 * @returns `undefined` for an invalid role name ({@link ROLE_RULE}).
 */
export function roleName(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  return ROLE.test(name) ? name : undefined;
}

export function hasRole({ roles }: Pick<Caller, "roles">, name: string): boolean {
  return roles.some((role) => roleName(role) === name);
}
