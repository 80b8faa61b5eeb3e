/**
 * Usage, prices, budgets and payments. Money is in whole nanodollars. Text is sorted by its bytes, as on every
 * engine. Times are milliseconds since the epoch, UTC. Each element is one statement.
 */
export const usageTables: readonly string[] = [
  // One row for each action, with the columns of Contract §2.9. The key starts with the time, so that rows are
  // written in order, and ends with the id, so that no row is written twice.
  `CREATE TABLE usage_events (
     org_id uuid NOT NULL,
     occurred_at_ms bigint NOT NULL,
     id uuid NOT NULL,
     session_id text,
     plan_id uuid,
     step_id text,
     tool_name text NOT NULL,
     intent text NOT NULL,
     intent_source text NOT NULL,
     aau_weight double precision NOT NULL,
     orm_model text,
     cost_nanodollars bigint NOT NULL,
     price_id text,
     source text,
     source_event_id text,
     created_at timestamptz NOT NULL,
     cost_usd double precision NOT NULL GENERATED ALWAYS AS (cost_nanodollars / 1e9) STORED,
     PRIMARY KEY (org_id, occurred_at_ms, id)
   )`,
  `CREATE UNIQUE INDEX usage_events_by_source ON usage_events (org_id, source, source_event_id)
     WHERE source IS NOT NULL`,

  // Corrections of the cost of rows, after a price was set for the past.
  `CREATE TABLE usage_adjustments (
     org_id uuid NOT NULL,
     occurred_at_ms bigint NOT NULL,
     event_id uuid NOT NULL,
     id uuid NOT NULL,
     price_id text,
     difference_nanodollars bigint NOT NULL,
     created_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, occurred_at_ms, event_id, id)
   )`,

  // Sums of the rows and their corrections by dimension and bucket of time, from which reports are made.
  `CREATE TABLE usage_totals (
     org_id uuid NOT NULL,
     dimension text COLLATE "C" NOT NULL,
     grain text COLLATE "C" NOT NULL,
     bucket_ms bigint NOT NULL,
     key text COLLATE "C" NOT NULL,
     action_count bigint NOT NULL,
     total_aau bigint NOT NULL,
     total_nanodollars bigint NOT NULL,
     PRIMARY KEY (org_id, dimension, grain, bucket_ms, key)
   ) WITH (fillfactor = 50)`,
  `CREATE INDEX usage_totals_by_session ON usage_totals (org_id, key, bucket_ms)
     WHERE dimension = 'session' AND grain = 'day'`,
  // The operator's report over all organizations.
  `CREATE INDEX usage_totals_by_organization ON usage_totals (org_id, bucket_ms)
     WHERE dimension = 'total' AND grain = 'day'`,

  // Sums by model and intent.
  `CREATE TABLE usage_heat_map (
     org_id uuid NOT NULL,
     orm_model text COLLATE "C" NOT NULL,
     intent text COLLATE "C" NOT NULL,
     aau_weight integer NOT NULL,
     action_count bigint NOT NULL,
     total_aau bigint NOT NULL,
     total_nanodollars bigint NOT NULL,
     PRIMARY KEY (org_id, orm_model, intent, aau_weight)
   ) WITH (fillfactor = 50)`,

  // When an organization's rows begin to be complete; older ones were deleted.
  `CREATE TABLE usage_detail_starts (
     org_id uuid NOT NULL,
     from_ms bigint NOT NULL,
     PRIMARY KEY (org_id)
   )`,

  // What an action costs, from a time on.
  `CREATE TABLE usage_prices (
     org_id uuid NOT NULL,
     scope text COLLATE "C" NOT NULL,
     subject text COLLATE "C" NOT NULL,
     from_ms bigint NOT NULL,
     until_ms bigint,
     amount_nanodollars bigint NOT NULL,
     id text NOT NULL,
     PRIMARY KEY (org_id, scope, subject, from_ms)
   )`,

  // Limits of usage in a period.
  `CREATE TABLE usage_budgets (
     org_id uuid NOT NULL,
     scope text COLLATE "C" NOT NULL,
     unit text COLLATE "C" NOT NULL,
     period text COLLATE "C" NOT NULL,
     action text COLLATE "C" NOT NULL,
     set_by text COLLATE "C" NOT NULL,
     limit_amount bigint NOT NULL,
     id text NOT NULL,
     PRIMARY KEY (org_id, scope, unit, period, action, set_by)
   )`,

  // One row for each organization, as a lock: while prices change, nobody can record calls by the old ones.
  `CREATE TABLE usage_ledgers (
     org_id uuid NOT NULL,
     PRIMARY KEY (org_id)
   )`,

  // Calls that were admitted under a budget and have no usage row yet.
  `CREATE TABLE usage_reservations (
     org_id uuid NOT NULL,
     call_id uuid NOT NULL,
     session_id text NOT NULL,
     aau integer NOT NULL,
     nanodollars bigint NOT NULL,
     node_id uuid NOT NULL,
     PRIMARY KEY (org_id, call_id)
   )`,

  // A customer of the payment provider is looked up in both directions. The row that ensures that a customer has
  // only one organization cannot be keyed by that organization, so it has the nil organization.
  `CREATE TABLE payment_customers (
     org_id uuid NOT NULL,
     customer_id text NOT NULL,
     bound_at_ms bigint NOT NULL,
     PRIMARY KEY (org_id, customer_id)
   )`,
  `CREATE TABLE payment_customer_owners (
     org_id uuid NOT NULL,
     customer_id text NOT NULL,
     owner_id uuid NOT NULL,
     PRIMARY KEY (org_id, customer_id)
   )`,
];
