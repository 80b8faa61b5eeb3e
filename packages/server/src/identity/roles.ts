/**
 * The roles in the shipped policies (Decision §15): `operator` belongs to the service, the others
 * to an organization.
 */
export const ROLES = [
  "operator",
  "admin",
  "billing",
  "schema",
  "approver",
  "agent",
  "auditor",
] as const;
