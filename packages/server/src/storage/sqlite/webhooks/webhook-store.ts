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
import { number, text } from "../column-values.js";
import type { Write } from "../commit-protocol.js";
import type { CommitWriter } from "../commit-writer.js";
import type { SqliteRow } from "../connection.js";
import { readAll, SYSTEM, type StoreReads } from "../reads/store-reads.js";

/** The deliveries of webhooks in SQLite, whose store has one process. */
export class SqliteWebhookStore implements WebhookStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  async add(deliveries: readonly NewDelivery[]): Promise<void> {
    await this.#writer.commit([...deliveryWrites(deliveries)]);
  }

  async take(
    target: string,
    limit: number,
    { nowMs, leaseUntilMs }: { readonly nowMs: number; readonly leaseUntilMs: number },
  ): Promise<readonly Delivery[]> {
    const due = await this.#db.all(
      SYSTEM,
      `SELECT org_id, target, message_id, body, attempt FROM webhook_deliveries
         WHERE target = ? AND dead_at_ms IS NULL AND due_at_ms <= ?
         ORDER BY due_at_ms LIMIT ?`,
      target,
      nowMs,
      BigInt(limit),
    );
    const taken = due.map(deliveryOf);
    if (taken.length > 0)
      await this.#writer.commit(taken.map((each) => takeWrite(each, leaseUntilMs)));
    return taken;
  }

  async settle(delivery: Delivery, end: DeliveryEnd): Promise<void> {
    await this.#writer.commit([settleWrite(delivery, end)]);
  }

  list(
    orgId: string,
    filter: DeliveryFilter,
    { limit, after }: { readonly limit: number; readonly after?: DeliveryPlace | undefined },
  ): Promise<readonly StoredDelivery[]> {
    const conditions = deliveryConditions(filter, after);
    return readAll(
      this.#db,
      orgId,
      (row) => storedDeliveryOf(storedRowOf(row)),
      `SELECT org_id, target, message_id, body, attempt, due_at_ms, dead_at_ms, error
           FROM webhook_deliveries
           WHERE ${["org_id = ?", ...conditions.map(({ sql }) => sql)].join(" AND ")}
           ORDER BY coalesce(dead_at_ms, due_at_ms) DESC, target DESC, message_id DESC LIMIT ?`,
      orgId,
      ...conditions.flatMap(({ params }) => params),
      BigInt(limit),
    );
  }

  async retry(
    orgId: string,
    { targets, messageId }: { readonly targets: readonly string[]; readonly messageId?: string },
    { nowMs, laterThanMs }: { readonly nowMs: number; readonly laterThanMs: number },
    limit: number,
  ): Promise<number> {
    const found = await this.#db.all(
      orgId,
      `SELECT target, message_id FROM webhook_deliveries
         WHERE org_id = ? AND target IN (SELECT value FROM json_each(?))
           AND message_id = coalesce(?, message_id)
           AND (dead_at_ms IS NOT NULL OR due_at_ms > ?)
         LIMIT ?`,
      ...[orgId, JSON.stringify(targets), messageId ?? null, laterThanMs, BigInt(limit)],
    );
    const writes = found.map((row) => ({
      sql: `UPDATE webhook_deliveries SET attempt = 0, due_at_ms = ?, dead_at_ms = NULL
            WHERE org_id = ? AND target = ? AND message_id = ?`,
      params: [nowMs, orgId, text(row["target"]), text(row["message_id"])],
    }));
    if (writes.length > 0) await this.#writer.commitEffect(writes);
    return writes.length;
  }

  async purge(beforeMs: number): Promise<void> {
    const sql = "DELETE FROM webhook_deliveries WHERE coalesce(dead_at_ms, due_at_ms) < ?";
    await this.#writer.commit([{ sql, params: [beforeMs] }]);
  }
}

/** Stores deliveries, in the commit of the events that they tell of. */
export function deliveryWrites(deliveries: readonly NewDelivery[]): readonly Write[] {
  return deliveries.map(({ orgId, target, messageId, body, dueAtMs }) => ({
    sql: `INSERT INTO webhook_deliveries (org_id, target, message_id, body, due_at_ms)
          VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    params: [orgId, target, messageId, body, dueAtMs],
  }));
}

function takeWrite({ orgId, target, messageId, attempt }: Delivery, untilMs: number): Write {
  return {
    sql: `UPDATE webhook_deliveries SET attempt = ?, due_at_ms = ?
          WHERE org_id = ? AND target = ? AND message_id = ?`,
    params: [attempt, untilMs, orgId, target, messageId],
  };
}

function settleWrite({ orgId, target, messageId, attempt }: Delivery, end: DeliveryEnd): Write {
  const key = [orgId, target, messageId, attempt];
  const where = "WHERE org_id = ? AND target = ? AND message_id = ? AND attempt = ?";
  switch (end.kind) {
    case "delivered":
      return { sql: `DELETE FROM webhook_deliveries ${where}`, params: key };
    case "later":
      return {
        sql: `UPDATE webhook_deliveries SET due_at_ms = ?, error = ? ${where}`,
        params: [end.dueAtMs, end.error, ...key],
      };
    case "dead":
      return {
        sql: `UPDATE webhook_deliveries SET dead_at_ms = ?, error = ? ${where}`,
        params: [end.atMs, end.error, ...key],
      };
  }
}

function deliveryOf(row: SqliteRow): Delivery {
  return {
    orgId: text(row["org_id"]),
    target: text(row["target"]),
    messageId: text(row["message_id"]),
    body: text(row["body"]),
    attempt: number(row["attempt"]) + 1,
  };
}

function storedRowOf(row: SqliteRow): StoredDeliveryRow {
  return {
    org_id: text(row["org_id"]),
    target: text(row["target"]),
    message_id: text(row["message_id"]),
    body: text(row["body"]),
    attempt: number(row["attempt"]),
    due_at_ms: number(row["due_at_ms"]),
    dead_at_ms: row["dead_at_ms"] === null ? null : number(row["dead_at_ms"]),
    error: row["error"] === null ? null : text(row["error"]),
  };
}
