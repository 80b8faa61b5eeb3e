/** Roles of an organization that a key may get; the server decides whether its creator may give them. */
export const ROLES = ["agent", "auditor", "approver", "billing", "schema", "admin"] as const;

export type Role = (typeof ROLES)[number];
