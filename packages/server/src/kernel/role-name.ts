import type { Caller } from "./caller.js";

/** What a text must be to name a role, a shipped one or an organization's own. */
export const ROLE_RULE =
  "must be 1 to 128 visible characters of ASCII; blanks may stand between them";

const ROLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/**
 * A role as it is compared, however the caller is known: in lower case, without blanks around it. A role that no policy
 * names gives nothing.
 * @returns `undefined` for a text that cannot name one ({@link ROLE_RULE}).
 */
export function roleName(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  return ROLE.test(name) ? name : undefined;
}

/** Whether a caller has the role with this name. */
export function hasRole({ roles }: Pick<Caller, "roles">, name: string): boolean {
  return roles.some((role) => roleName(role) === name);
}
