import type { DeliveryFilter, DeliveryPlace, StoredDelivery } from "../webhooks/ports.js";

/** A row of `webhook_deliveries`. */
export interface StoredDeliveryRow {
  readonly org_id: string;
  readonly target: string;
  readonly message_id: string;
  readonly body: string;
  readonly attempt: number;
  readonly due_at_ms: number;
  readonly dead_at_ms: number | null;
  readonly error: string | null;
}

export function storedDeliveryOf(row: StoredDeliveryRow): StoredDelivery {
  return {
    ...{ orgId: row.org_id, target: row.target, messageId: row.message_id, body: row.body },
    attempts: row.attempt,
    dueAtMs: row.due_at_ms,
    ...(row.dead_at_ms === null ? {} : { deadAtMs: row.dead_at_ms }),
    ...(row.error === null ? {} : { error: row.error }),
  };
}

/** The conditions of a listing, with a value for each question mark. */
export function deliveryConditions(
  { target, status }: DeliveryFilter,
  after: DeliveryPlace | undefined,
): readonly { readonly sql: string; readonly params: readonly (string | number)[] }[] {
  return [
    ...(target === undefined ? [] : [{ sql: "target = ?", params: [target] }]),
    ...(status === "dead" ? [{ sql: "dead_at_ms IS NOT NULL", params: [] }] : []),
    ...(status === "waiting" ? [{ sql: "dead_at_ms IS NULL", params: [] }] : []),
    ...(after === undefined
      ? []
      : [
          {
            sql: "(coalesce(dead_at_ms, due_at_ms), target, message_id) < (?, ?, ?)",
            params: [after.atMs, after.target, after.messageId],
          },
        ]),
  ];
}
