/**
 * Usage, prices, budgets and payments. Money is in whole nanodollars. Times are milliseconds since the
 * epoch, UTC.
 */
export const usageTables: string = `
-- One row for each action, with the columns of Contract §2.9. The key starts with the time, so that rows are
-- written in order, and ends with the id, so that no row is written twice.
CREATE TABLE usage_events (
  org_id TEXT NOT NULL,
  occurred_at_ms INTEGER NOT NULL,
  id TEXT NOT NULL,
  session_id TEXT,
  plan_id TEXT,
  step_id TEXT,
  tool_name TEXT NOT NULL,
  intent TEXT NOT NULL,
  intent_source TEXT NOT NULL,
  aau_weight REAL NOT NULL,
  orm_model TEXT,
  cost_nanodollars INTEGER NOT NULL,
  price_id TEXT,
  source TEXT,
  source_event_id TEXT,
  created_at_ms INTEGER NOT NULL,
  cost_usd REAL NOT NULL GENERATED ALWAYS AS (cost_nanodollars / 1e9) VIRTUAL,
  created_at TEXT NOT NULL GENERATED ALWAYS AS
    (strftime('%Y-%m-%dT%H:%M:%fZ', created_at_ms / 1e3, 'unixepoch')) VIRTUAL,
  PRIMARY KEY (org_id, occurred_at_ms, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX usage_events_by_source ON usage_events (org_id, source, source_event_id)
  WHERE source IS NOT NULL;

-- Corrections of the cost of rows, after a price was set for the past.
CREATE TABLE usage_adjustments (
  org_id TEXT NOT NULL,
  occurred_at_ms INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  id TEXT NOT NULL,
  price_id TEXT,
  difference_nanodollars INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, occurred_at_ms, event_id, id)
) STRICT, WITHOUT ROWID;

-- Sums of the rows and their corrections by dimension and bucket of time, from which reports are made.
CREATE TABLE usage_totals (
  org_id TEXT NOT NULL,
  dimension TEXT NOT NULL,
  grain TEXT NOT NULL,
  bucket_ms INTEGER NOT NULL,
  key TEXT NOT NULL,
  action_count INTEGER NOT NULL,
  total_aau INTEGER NOT NULL,
  total_nanodollars INTEGER NOT NULL,
  PRIMARY KEY (org_id, dimension, grain, bucket_ms, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_totals_by_session ON usage_totals (org_id, key, bucket_ms)
  WHERE dimension = 'session' AND grain = 'day';
-- The operator's report over all organizations.
CREATE INDEX usage_totals_by_organization ON usage_totals (org_id, bucket_ms)
  WHERE dimension = 'total' AND grain = 'day';

-- Sums by model and intent.
CREATE TABLE usage_heat_map (
  org_id TEXT NOT NULL,
  orm_model TEXT NOT NULL,
  intent TEXT NOT NULL,
  aau_weight INTEGER NOT NULL,
  action_count INTEGER NOT NULL,
  total_aau INTEGER NOT NULL,
  total_nanodollars INTEGER NOT NULL,
  PRIMARY KEY (org_id, orm_model, intent, aau_weight)
) STRICT, WITHOUT ROWID;

-- When an organization's rows begin to be complete; older ones were deleted.
CREATE TABLE usage_detail_starts (
  org_id TEXT NOT NULL PRIMARY KEY,
  from_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What an action costs, from a time on.
CREATE TABLE usage_prices (
  org_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  subject TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  until_ms INTEGER,
  amount_nanodollars INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (org_id, scope, subject, from_ms)
) STRICT, WITHOUT ROWID;

-- Limits of usage in a period.
CREATE TABLE usage_budgets (
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

-- The organization of each customer of the payment provider.
CREATE TABLE payment_customers (
  customer_id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  bound_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_customers_by_org ON payment_customers (org_id, bound_at_ms);
`;
