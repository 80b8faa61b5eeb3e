/** Budgets say who has set them: the operator's stand beside an organization's own, with a key of their own. */
export const separateOperatorBudgets: string = `
CREATE TABLE new_usage_budgets (
  org_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  unit TEXT NOT NULL,
  period TEXT NOT NULL,
  action TEXT NOT NULL,
  set_by TEXT NOT NULL,
  limit_amount INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (org_id, scope, unit, period, action, set_by)
) STRICT, WITHOUT ROWID;
INSERT INTO new_usage_budgets
  SELECT org_id, scope, unit, period, action, 'organization', limit_amount, id FROM usage_budgets;
DROP TABLE usage_budgets;
ALTER TABLE new_usage_budgets RENAME TO usage_budgets;
`;
