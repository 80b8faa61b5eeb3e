import type {
  Delivery,
  DeliveryEnd,
  DeliveryFilter,
  DeliveryPlace,
  NewDelivery,
  StoredDelivery,
  WebhookStore,
} from "../../../webhooks/ports.js";
import {
  deliveryConditions,
  storedDeliveryOf,
  type StoredDeliveryRow,
} from "../../webhook-rows.js";
import type { Connection, Database, PgValue } from "../database.js";

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

  async add(deliveries: readonly NewDelivery[]): Promise<void> {
    await this.#db.transaction((connection) => insertDeliveries(connection, deliveries));
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

  async list(
    orgId: string,
    filter: DeliveryFilter,
    { limit, after }: { readonly limit: number; readonly after?: DeliveryPlace | undefined },
  ): Promise<readonly StoredDelivery[]> {
    const values: PgValue[] = [orgId];
    const conditions = deliveryConditions(filter, after).map(({ sql, params }) => {
      const first = values.length;
      values.push(...params);
      let index = first;
      return sql.replaceAll("?", () => `$${String((index += 1))}`);
    });
    values.push(limit);
    const rows = await this.#db.query<StoredDeliveryRow>(
      `SELECT org_id, target, message_id, body, attempt, due_at_ms, dead_at_ms, error
       FROM webhook_deliveries WHERE ${["org_id = $1", ...conditions].join(" AND ")}
       ORDER BY coalesce(dead_at_ms, due_at_ms) DESC, target DESC, message_id DESC
       LIMIT $${String(values.length)}`,
      values,
    );
    return rows.map(storedDeliveryOf);
  }

  async retry(
    orgId: string,
    { targets, messageId }: { readonly targets: readonly string[]; readonly messageId?: string },
    { nowMs, laterThanMs }: { readonly nowMs: number; readonly laterThanMs: number },
    limit: number,
  ): Promise<number> {
    const rows = await this.#db.writeEffect(
      `UPDATE webhook_deliveries AS d SET attempt = 0, due_at_ms = $4, dead_at_ms = NULL
       FROM (
         SELECT org_id, target, message_id FROM webhook_deliveries
         WHERE org_id = $1 AND target = ANY ($2::text[]) AND message_id = coalesce($3, message_id)
           AND (dead_at_ms IS NOT NULL OR due_at_ms > $5)
         LIMIT $6 FOR UPDATE SKIP LOCKED) AS asked
       WHERE (d.org_id, d.target, d.message_id) = (asked.org_id, asked.target, asked.message_id)
       RETURNING d.message_id`,
      [orgId, targets, messageId ?? null, nowMs, laterThanMs, limit],
    );
    return rows.length;
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
