/**
 * Webhooks. Times are milliseconds since the epoch, UTC. Each element is one statement.
 */
export const webhookTables: readonly string[] = [
  // Deliveries that wait or failed for good, written with the events they tell of.
  `CREATE TABLE webhook_deliveries (
     org_id uuid NOT NULL,
     target text NOT NULL,
     message_id text NOT NULL,
     body text NOT NULL,
     attempt integer NOT NULL DEFAULT 0,
     due_at_ms bigint NOT NULL,
     dead_at_ms bigint,
     error text,
     PRIMARY KEY (org_id, target, message_id)
   )`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (target, due_at_ms)
     WHERE dead_at_ms IS NULL`,
  // Deliveries are listed the latest first.
  `CREATE INDEX webhook_deliveries_listed
     ON webhook_deliveries (org_id, (coalesce(dead_at_ms, due_at_ms)), target, message_id)`,
];
