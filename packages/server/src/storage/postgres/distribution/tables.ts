/**
 * The placement of the store's tables on a Citus cluster. A table with rows of organizations is
 * distributed by `org_id`, so that all rows of an organization are on one server. A reference table
 * is replicated to every server: it belongs to no organization, or is read before the organization
 * is known.
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
  "audit_records",
  "audit_personal_values",
  "audit_outbox",
];

/** Small tables with many reads and few writes. */
export const REFERENCE_TABLES: readonly string[] = [
  "schema_migrations",
  "nodes",
  "memory_models",
  "payment_customer_owners",
  // A key is looked up by its id alone, because the key determines the organization.
  "api_keys",
  // A server takes the deliveries of all organizations that are due.
  "webhook_deliveries",
  // The audit log is one tree for all organizations.
  "audit_tiles",
  "audit_tree",
  "audit_export_positions",
  "audit_cosignatures",
  // The same holds for a session and its hash.
  "browser_sessions",
];
