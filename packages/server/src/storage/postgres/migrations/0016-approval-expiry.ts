/**
 * The indexes by which approvals past their time are found, and deliveries of webhooks are listed,
 * the latest first.
 */
export const indexExpiry: readonly string[] = [
  `CREATE INDEX approvals_by_expiry ON approvals (expires_at_ms)
     WHERE status IN ('pending', 'approved')`,
  `CREATE INDEX webhook_deliveries_listed
     ON webhook_deliveries (org_id, (coalesce(dead_at_ms, due_at_ms)), target, message_id)`,
];
