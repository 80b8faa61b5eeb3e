import type { Delivery, DeliveryEnd, NewDelivery, WebhookStore } from "../../../webhooks/ports.js";
import type { Connection, Database } from "../database.js";

const DELIVERED = `DELETE FROM webhook_deliveries
  WHERE org_id = $1 AND target = $2 AND message_id = $3 AND attempt = $4`;
const LATER = `UPDATE webhook_deliveries SET due_at_ms = $5, error = $6
  WHERE org_id = $1 AND target = $2 AND message_id = $3 AND attempt = $4`;
const DEAD = `UPDATE webhook_deliveries SET dead_at_ms = $5, error = $6
  WHERE org_id = $1 AND target = $2 AND message_id = $3 AND attempt = $4`;

/** The deliveries of webhooks on PostgreSQL. A server locks those that it takes. */
export class PostgresWebhookStore implements WebhookStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async take(
    target: string,
    limit: number,
    { nowMs, leaseUntilMs }: { readonly nowMs: number; readonly leaseUntilMs: number },
  ): Promise<readonly Delivery[]> {
    const rows = await this.#db.query<DeliveryRow>(
      `UPDATE webhook_deliveries AS d SET attempt = d.attempt + 1, due_at_ms = $4
       FROM (
         SELECT org_id, target, message_id FROM webhook_deliveries
         WHERE target = $1 AND dead_at_ms IS NULL AND due_at_ms <= $3
         ORDER BY due_at_ms LIMIT $2 FOR UPDATE SKIP LOCKED) AS due
       WHERE (d.org_id, d.target, d.message_id) = (due.org_id, due.target, due.message_id)
       RETURNING d.org_id, d.target, d.message_id, d.body, d.attempt`,
      [target, limit, nowMs, leaseUntilMs],
    );
    return rows.map((row) => ({
      orgId: row.org_id,
      target: row.target,
      messageId: row.message_id,
      body: row.body,
      attempt: row.attempt,
    }));
  }

  async settle({ orgId, target, messageId, attempt }: Delivery, end: DeliveryEnd): Promise<void> {
    const key = [orgId, target, messageId, attempt];
    if (end.kind === "delivered") await this.#db.query(DELIVERED, key);
    else if (end.kind === "later") await this.#db.query(LATER, [...key, end.dueAtMs, end.error]);
    else await this.#db.query(DEAD, [...key, end.atMs, end.error]);
  }

  async purge(beforeMs: number): Promise<void> {
    await this.#db.query(
      "DELETE FROM webhook_deliveries WHERE coalesce(dead_at_ms, due_at_ms) < $1",
      [beforeMs],
    );
  }
}

/** Stores deliveries, in the transaction of the events that they tell of. */
export async function insertDeliveries(
  connection: Connection,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  for (const { orgId, target, messageId, body, dueAtMs } of deliveries) {
    await connection.query(
      `INSERT INTO webhook_deliveries (org_id, target, message_id, body, due_at_ms)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
      [orgId, target, messageId, body, dueAtMs],
    );
  }
}

interface DeliveryRow {
  readonly org_id: string;
  readonly target: string;
  readonly message_id: string;
  readonly body: string;
  readonly attempt: number;
}
