import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import type {
  Delivery,
  DeliveryEnd,
  DeliveryFilter,
  DeliveryPlace,
  NewDelivery,
  StoredDelivery,
  WebhookStore,
} from "../../webhooks/ports.js";
import { integer, optional, rowType, text, uuid } from "./row-type.js";
import { either, elements, joined, onSqlite, sql, type Sql } from "./sql.js";
import { NO_PARTY, type SqlStore } from "./sql-store.js";

const DELIVERY = rowType<Delivery>({
  orgId: uuid,
  target: text(),
  messageId: text(),
  body: text(),
  attempt: integer,
});

/** A row of `webhook_deliveries`. */
interface StoredRow extends Delivery {
  readonly dueAtMs: number;
  readonly deadAtMs?: number;
  readonly error?: string;
}

const STORED = rowType<StoredRow>({
  orgId: uuid,
  target: text(),
  messageId: text(),
  body: text(),
  attempt: integer,
  dueAtMs: integer,
  deadAtMs: optional(integer),
  error: optional(text()),
});

const PLACE = rowType<Pick<Delivery, "target" | "messageId">>({
  target: text(),
  messageId: text(),
});

/** The deliveries of webhooks. On PostgreSQL a server locks those that it takes. */
export class SqlWebhookStore implements WebhookStore {
  readonly #db: SqlStore;

  constructor(db: SqlStore) {
    this.#db = db;
  }

  async add(deliveries: readonly NewDelivery[]): Promise<void> {
    await this.#db.write(deliveries.map(deliveryInsert));
  }

  /** SQLite's readers change nothing, so that the change follows there. The store has one process. */
  async take(
    target: string,
    limit: number,
    { nowMs, leaseUntilMs }: { readonly nowMs: number; readonly leaseUntilMs: number },
  ): Promise<readonly Delivery[]> {
    const due = (columns: Sql): Sql => sql`SELECT ${columns} FROM webhook_deliveries
      WHERE target = ${target} AND dead_at_ms IS NULL AND due_at_ms <= ${nowMs}
      ORDER BY due_at_ms LIMIT ${limit}`;
    const taken = await this.#db.rows(
      NO_PARTY,
      either({
        sqlite: due(sql`org_id, target, message_id, body, attempt + 1 AS attempt`),
        postgres: sql`UPDATE webhook_deliveries AS d
          SET attempt = d.attempt + 1, due_at_ms = ${leaseUntilMs}
          FROM (${due(sql`org_id, target, message_id`)} FOR UPDATE SKIP LOCKED) AS due
          WHERE (d.org_id, d.target, d.message_id) = (due.org_id, due.target, due.message_id)
          RETURNING d.org_id, d.target, d.message_id, d.body, d.attempt`,
      }),
      DELIVERY,
    );
    await this.#db.write(
      taken.map((each) =>
        onSqlite(sql`UPDATE webhook_deliveries
          SET attempt = ${each.attempt}, due_at_ms = ${leaseUntilMs} WHERE ${isAt(each)}`),
      ),
    );
    return taken;
  }

  async settle(delivery: Delivery, end: DeliveryEnd): Promise<void> {
    const attempt = sql`${isAt(delivery)} AND attempt = ${delivery.attempt}`;
    await this.#db.write([settlement(end, attempt)]);
  }

  async list(
    orgId: string,
    filter: DeliveryFilter,
    { limit, after }: { readonly limit: number; readonly after?: DeliveryPlace | undefined },
  ): Promise<readonly StoredDelivery[]> {
    const conditions = [sql`org_id = ${orgId}`, ...deliveryConditions(filter, after)];
    const rows = await this.#db.rows(
      orgId,
      sql`SELECT ${STORED.columns} FROM webhook_deliveries WHERE ${joined(conditions, " AND ")}
        ORDER BY coalesce(dead_at_ms, due_at_ms) DESC, target DESC, message_id DESC
        LIMIT ${limit}`,
      STORED,
    );
    return rows.map(({ attempt, ...row }) => ({ ...row, attempts: attempt }));
  }

  async retry(
    orgId: string,
    { targets, messageId }: { readonly targets: readonly string[]; readonly messageId?: string },
    { nowMs, laterThanMs }: { readonly nowMs: number; readonly laterThanMs: number },
    limit: number,
    operation?: RecordedOperation,
  ): Promise<number> {
    const isWaiting = sql`(dead_at_ms IS NOT NULL OR due_at_ms > ${laterThanMs})`;
    const asked = await this.#db.rows(
      orgId,
      sql`SELECT ${PLACE.columns} FROM webhook_deliveries, ${elements(targets.map((each) => [each]))}
        WHERE org_id = ${orgId} AND target = e.value ->> 0
          AND message_id = coalesce(${messageId}, message_id) AND ${isWaiting}
        LIMIT ${limit}`,
      PLACE,
    );
    if (asked.length === 0) return 0;
    const places = elements(asked.map((each) => [each.target, each.messageId]));
    await this.#db.write(
      [
        sql`UPDATE webhook_deliveries SET attempt = 0, due_at_ms = ${nowMs}, dead_at_ms = NULL
          FROM ${places} WHERE org_id = ${orgId}
            AND target = e.value ->> 0 AND message_id = e.value ->> 1 AND ${isWaiting}`,
      ],
      { operation },
    );
    return asked.length;
  }

  async purge(beforeMs: number): Promise<void> {
    await this.#db.write([
      sql`DELETE FROM webhook_deliveries WHERE coalesce(dead_at_ms, due_at_ms) < ${beforeMs}`,
    ]);
  }
}

/** Stores a delivery, also in the commit of the events that it tells of. */
export function deliveryInsert({ orgId, target, messageId, body, dueAtMs }: NewDelivery): Sql {
  return sql`INSERT INTO webhook_deliveries (org_id, target, message_id, body, due_at_ms)
    VALUES (${orgId}, ${target}, ${messageId}, ${body}, ${dueAtMs}) ON CONFLICT DO NOTHING`;
}

function isAt({ orgId, target, messageId }: Delivery): Sql {
  return sql`org_id = ${orgId} AND target = ${target} AND message_id = ${messageId}`;
}

function settlement(end: DeliveryEnd, attempt: Sql): Sql {
  switch (end.kind) {
    case "delivered":
      return sql`DELETE FROM webhook_deliveries WHERE ${attempt}`;
    case "later":
      return sql`UPDATE webhook_deliveries SET due_at_ms = ${end.dueAtMs}, error = ${end.error}
        WHERE ${attempt}`;
    case "dead":
      return sql`UPDATE webhook_deliveries SET dead_at_ms = ${end.atMs}, error = ${end.error}
        WHERE ${attempt}`;
  }
}

function deliveryConditions(
  { target, status }: DeliveryFilter,
  after: DeliveryPlace | undefined,
): readonly Sql[] {
  return [
    ...(target === undefined ? [] : [sql`target = ${target}`]),
    ...(status === "dead" ? [sql`dead_at_ms IS NOT NULL`] : []),
    ...(status === "waiting" ? [sql`dead_at_ms IS NULL`] : []),
    ...(after === undefined
      ? []
      : [
          sql`(coalesce(dead_at_ms, due_at_ms), target, message_id) <
            (${after.atMs}, ${after.target}, ${after.messageId})`,
        ]),
  ];
}
