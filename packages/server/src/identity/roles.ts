/** The roles that the shipped policies speak of (Decision §15): `operator` is the service's, the others an organization's. */
export const ROLES = [
  "operator",
  "admin",
  "billing",
  "schema",
  "approver",
  "agent",
  "auditor",
] as const;
