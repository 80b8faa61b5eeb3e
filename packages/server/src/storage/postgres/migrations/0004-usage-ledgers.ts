/** One row for each organization, to lock: who changes its prices keeps others from recording by the old ones. */
export const createUsageLedgers: readonly string[] = [
  `CREATE TABLE usage_ledgers (
     org_id uuid NOT NULL,
     PRIMARY KEY (org_id)
   )`,
];
