/**
 * The placement of the store's tables on a Citus cluster. A table with many rows of organizations is
 * distributed by `org_id`, so that all rows of an organization are on one server. A reference table
 * is replicated to every server: it is read everywhere, and hardly ever written, because a write is a
 * two-phase commit on all servers and fails while one of them is down. Every other table stays on
 * the coordinator: it is small, written often, and belongs to no organization or is asked for all of
 * them at once.
 */

/** Parents before the tables that refer to them. */
export const DISTRIBUTED_TABLES: readonly string[] = [
  "plans",
  "plan_definitions",
  "plan_changes",
  "step_leases",
  "idempotency_keys",
  "approvals",
  "usage_events",
  "usage_adjustments",
  "usage_totals",
  "usage_heat_map",
  "usage_prices",
  "usage_budgets",
  "usage_ledgers",
  "usage_reservations",
  "payment_customers",
  "sessions",
  "memory_entries",
  "memory_vectors",
  "memory_entry_vectors",
  "memory_sequences",
  "memory_deletions",
  "state_stores",
  "state_refs",
  "state_blocks",
  "policies",
  "retention_versions",
  "retention_locks",
  "legal_holds",
  "erasures",
  "plan_forks",
  "plan_removals",
  "usage_detail_starts",
  "audit_blocks",
  "audit_subjects",
];

/** Small tables that are hardly ever written. */
export const REFERENCE_TABLES: readonly string[] = [
  "schema_migrations",
  "memory_models",
  "payment_customer_owners",
];

/** Small tables that are written often. */
export const COORDINATOR_TABLES: readonly string[] = [
  // Each server's heartbeat, once a second.
  "nodes",
  // A key or a browser's session is looked up by its id alone, because it determines the
  // organization; each notes its last use.
  "api_keys",
  "browser_sessions",
  // A server takes the deliveries of all organizations that are due.
  "webhook_deliveries",
  // The audit log is one tree for all organizations, and takes in everybody's facts in order.
  "audit_outbox",
  "audit_tiles",
  "audit_tree",
  "audit_export_positions",
  "audit_cosignatures",
];
