/** Policies of organizations, each version whole; the highest is in force. One statement to an entry. */
export const createPolicies: readonly string[] = [
  `CREATE TABLE policies (
     org_id uuid NOT NULL,
     version bigint NOT NULL,
     text text NOT NULL,
     changed_by text NOT NULL,
     changed_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, version)
   )`,
];
