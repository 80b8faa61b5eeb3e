/** Budgets say who has set them: the operator's stand beside an organization's own, with a key of their own. */
export const separateOperatorBudgets: readonly string[] = [
  `ALTER TABLE usage_budgets
     ADD COLUMN set_by text COLLATE "C" NOT NULL DEFAULT 'organization',
     DROP CONSTRAINT usage_budgets_pkey,
     ADD PRIMARY KEY (org_id, scope, unit, period, action, set_by)`,
];
