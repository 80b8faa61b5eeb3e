/**
 * Webhooks. Times are milliseconds since the epoch, UTC.
 */
export const webhookTables: string = `
-- Deliveries that wait or failed for good, written with the events they tell of.
CREATE TABLE webhook_deliveries (
  org_id TEXT NOT NULL,
  target TEXT NOT NULL,
  message_id TEXT NOT NULL,
  body TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  due_at_ms INTEGER NOT NULL,
  dead_at_ms INTEGER,
  error TEXT,
  PRIMARY KEY (org_id, target, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (target, due_at_ms)
  WHERE dead_at_ms IS NULL;
-- Deliveries are listed the latest first.
CREATE INDEX webhook_deliveries_listed
  ON webhook_deliveries (org_id, coalesce(dead_at_ms, due_at_ms), target, message_id);
`;
