import type { Correction, Rollups, UsageEvent } from "../../../usage/ports.js";
import { byOrganization } from "../../by-organization.js";
import type { Connection, PgValue } from "../database.js";

/**
 * Converts domain values to rows. Only this file changes the usage tables. Lists are passed as
 * arrays.
 */

/**
 * Inserts usage rows of one organization, except those that are already known: by the source and its id,
 * or, where that is asked for, by their own.
 * @param repeated what becomes of a tool call that has its row already; absent: it has none.
 * @returns the ids of the new rows.
 */
export async function insertEvents(
  connection: Connection,
  orgId: string,
  events: readonly UsageEvent[],
  repeated?: "skipped",
): Promise<ReadonlySet<string>> {
  // ON CONFLICT writes each row to the write-ahead log twice, so it is only used where a row may be
  // known.
  const isExternal = events.some((event) => event.source !== undefined);
  const known = isExternal ? "(org_id, source, source_event_id) WHERE source IS NOT NULL" : "";
  const conflict = isExternal || repeated === "skipped" ? `ON CONFLICT ${known} DO NOTHING` : "";
  const rows = await connection.query<{ readonly id: string }>(
    `INSERT INTO usage_events (org_id, occurred_at_ms, id, session_id, plan_id, step_id, tool_name,
       intent, intent_source, aau_weight, orm_model, cost_nanodollars, price_id, source,
       source_event_id, created_at)
     SELECT $1, e.occurred, e.id, e.session, e.plan, e.step, e.tool, e.intent, e.intent_source,
       e.weight, e.model, e.cost, e.price, e.source, e.source_event, to_timestamp(e.created / 1e3)
     FROM unnest($2::bigint[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[],
         $8::text[], $9::text[], $10::float8[], $11::text[], $12::bigint[], $13::text[],
         $14::text[], $15::text[], $16::bigint[])
       AS e (occurred, id, session, plan, step, tool, intent, intent_source, weight, model, cost,
         price, source, source_event, created)
     ${conflict}
     RETURNING id`,
    [
      orgId,
      events.map((event) => event.occurredAtMs),
      events.map((event) => event.id),
      events.map((event) => event.sessionId ?? null),
      events.map((event) => event.planId ?? null),
      events.map((event) => event.stepId ?? null),
      events.map((event) => event.toolName),
      events.map((event) => event.intent),
      events.map((event) => event.intentSource),
      events.map((event) => event.aauWeight),
      events.map((event) => event.ormModel ?? null),
      events.map((event) => event.cost),
      events.map((event) => event.priceId ?? null),
      events.map((event) => event.source ?? null),
      events.map((event) => event.sourceEventId ?? null),
      events.map((event) => event.createdAtMs),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** After a commit whose answer was lost: all of a batch is there, or nothing. */
export async function isRecorded(
  connection: Connection,
  [first]: readonly UsageEvent[],
): Promise<boolean> {
  if (first === undefined) return false;
  const rows = await connection.query(
    `SELECT FROM usage_events WHERE org_id = $1 AND occurred_at_ms = $2 AND id = $3`,
    [first.orgId, first.occurredAtMs, first.id],
  );
  return rows.length > 0;
}

/** Inserts corrections of one organization, each on the day of the row it corrects. */
export async function insertAdjustments(
  connection: Connection,
  orgId: string,
  corrections: readonly Correction[],
): Promise<void> {
  await connection.query(
    `INSERT INTO usage_adjustments (org_id, occurred_at_ms, event_id, id, price_id,
       difference_nanodollars, created_at_ms)
     SELECT $1, a.* FROM unnest($2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[],
       $7::bigint[]) AS a`,
    [
      orgId,
      corrections.map(({ event }) => event.occurredAtMs),
      corrections.map(({ event }) => event.id),
      corrections.map(({ adjustment }) => adjustment.id),
      corrections.map(({ adjustment }) => adjustment.priceId ?? null),
      corrections.map(({ adjustment }) => adjustment.difference),
      corrections.map(({ adjustment }) => adjustment.createdAtMs),
    ],
  );
}

/** Adds to the stored totals. Sorted, so that two nodes cannot deadlock. */
export async function addToTotals(connection: Connection, rollups: Rollups): Promise<void> {
  const sums = (table: string): string =>
    `action_count = ${table}.action_count + excluded.action_count,
     total_aau = ${table}.total_aau + excluded.total_aau,
     total_nanodollars = ${table}.total_nanodollars + excluded.total_nanodollars`;
  await upsertTotals(connection, rollups, sums);
}

/** Replaces the stored totals; deletes those without actions. */
export async function replaceTotals(connection: Connection, rollups: Rollups): Promise<void> {
  await upsertTotals(
    connection,
    rollups,
    () => `action_count = excluded.action_count, total_aau = excluded.total_aau,
           total_nanodollars = excluded.total_nanodollars`,
  );
  const orgs = new Set([...rollups.byTime, ...rollups.heatMap].map(({ orgId }) => orgId));
  for (const orgId of orgs) {
    for (const table of ["usage_totals", "usage_heat_map"]) {
      const sql = `DELETE FROM ${table} WHERE org_id = $1 AND action_count = 0`;
      await connection.query(sql, [orgId]);
    }
  }
}

async function upsertTotals(
  connection: Connection,
  { byTime, heatMap }: Rollups,
  sums: (table: string) => string,
): Promise<void> {
  for (const [orgId, rollups] of byOrganization(byTime, (rollup) => rollup.orgId)) {
    await connection.query(
      `INSERT INTO usage_totals (org_id, dimension, grain, bucket_ms, key, action_count, total_aau,
         total_nanodollars)
       SELECT $1, t.* FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[],
         $7::bigint[], $8::bigint[]) AS t (dimension, grain, bucket_ms, key, action_count, total_aau,
         total_nanodollars)
       ORDER BY t.dimension, t.grain, t.bucket_ms, t.key COLLATE "C"
       ON CONFLICT (org_id, dimension, grain, bucket_ms, key) DO UPDATE SET ${sums("usage_totals")}`,
      [
        orgId,
        rollups.map((rollup) => rollup.dimension),
        rollups.map((rollup) => rollup.grain),
        rollups.map((rollup) => rollup.bucketMs),
        rollups.map((rollup) => rollup.key),
        ...sumColumns(rollups),
      ],
    );
  }
  for (const [orgId, cells] of byOrganization(heatMap, (cell) => cell.orgId)) {
    await connection.query(
      `INSERT INTO usage_heat_map (org_id, orm_model, intent, aau_weight, action_count, total_aau,
         total_nanodollars)
       SELECT $1, t.* FROM unnest($2::text[], $3::text[], $4::integer[], $5::bigint[], $6::bigint[],
         $7::bigint[]) AS t (orm_model, intent, aau_weight, action_count, total_aau,
         total_nanodollars)
       ORDER BY t.orm_model COLLATE "C", t.intent, t.aau_weight
       ON CONFLICT (org_id, orm_model, intent, aau_weight)
         DO UPDATE SET ${sums("usage_heat_map")}`,
      [
        orgId,
        cells.map((cell) => cell.ormModel),
        cells.map((cell) => cell.intent),
        cells.map((cell) => cell.aauWeight),
        ...sumColumns(cells),
      ],
    );
  }
}

function sumColumns(
  totals: readonly (Rollups["heatMap"][number] | Rollups["byTime"][number])[],
): PgValue[] {
  return [
    totals.map((total) => total.actionCount),
    totals.map((total) => total.totalAau),
    totals.map((total) => total.totalCost),
  ];
}
