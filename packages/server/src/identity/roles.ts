import { invalidField, type AppError } from "../kernel/errors.js";
import { nearMiss } from "../kernel/near-miss.js";

/** The roles that a caller may have (Decision §15): `operator` is the service's, the others an organization's. */
export const ROLES = [
  "operator",
  "admin",
  "billing",
  "schema",
  "approver",
  "agent",
  "auditor",
] as const;

/** Whether a text names a role, in whatever case. */
export function isRole(text: string): boolean {
  return ROLES.some((role) => role === text.toLowerCase());
}

/** A role that nobody can have, and the one that was probably meant. */
export function unknownRole(text: string): AppError {
  const near = nearMiss(text, ROLES);
  const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
  return invalidField("roles", `${text} is no role${meant}; the roles are ${ROLES.join(", ")}`);
}
