import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  planFactsOf,
  unreadableFact,
  type AuditFact,
  type AuditRecord,
  type LoggedChange,
} from "../audit/ports.js";
import type { PreparedStep } from "../plans/index.js";
import { callOf, originsOf, storedEventsOf } from "./plan-changes/index.js";

/** A row of a plan's log, joined with the columns of the plan that its audit record needs. */
export interface LoggedChangeRow {
  readonly org_id: string;
  readonly plan_id: string;
  readonly session_id: string;
  readonly sequence: number;
  readonly events: string;
  readonly origins: string | null;
  readonly call: string | null;
}

/** The change of a row. @param definition the column `steps` of its plan's definition. */
export function loggedChangeOf(
  row: LoggedChangeRow,
  steps: readonly PreparedStep[],
  definition: string | undefined,
): LoggedChange {
  const { org_id: orgId, plan_id: planId, session_id: sessionId, call } = row;
  const events = storedEventsOf(row.events).map((event, index) => ({
    ...event,
    sequence: row.sequence + index,
  }));
  const around = { orgId, planId, sessionId, steps, output: undefined };
  return {
    orgId,
    planId,
    sessionId,
    events,
    origins: originsOf(row.origins, events.length),
    call: call === null ? undefined : callOf(call, around),
    definition: row.sequence === 1 ? definition : undefined,
  };
}

/** A record with its personal values, as both engines read them. */
export interface AuditRecordRow {
  readonly record_index: number;
  readonly org_id: string;
  readonly entry: string;
  readonly salt: string | null;
  readonly personal_values: string | null;
}

/** The record of a row. Personal values that cannot be read are as if they were erased. */
export function auditRecordOfRow(row: AuditRecordRow): AuditRecord {
  const { salt, personal_values } = row;
  const values = personal_values === null ? undefined : personalValuesOf(personal_values);
  return {
    index: row.record_index,
    orgId: row.org_id,
    entry: row.entry,
    personal: salt === null || values === undefined ? undefined : { salt, values },
  };
}

function personalValuesOf(json: string): Readonly<Record<string, string>> | undefined {
  try {
    // Only this program writes them.
    return JSON.parse(json) as Readonly<Record<string, string>>;
  } catch {
    return undefined;
  }
}

/**
 * How a text stands in the column `personal_values` when it is a whole value, or a whole text in a
 * value that is JSON itself.
 */
export function storedForms(text: string): readonly [string, string] {
  const quoted = JSON.stringify(text);
  return [quoted, JSON.stringify(quoted).slice(1, -1)];
}

/** A fact that waits in the outbox, as text. */
export function factJson(fact: AuditFact): string {
  return JSON.stringify(fact);
}

/** The fact of a row of the outbox; of one that cannot be read, the fact that says so. */
export function factOfRow({ org_id: orgId, fact: row }: OutboxFactRow): AuditFact {
  const unreadable = (): AuditFact => unreadableFact({ orgId, subject: "", source: "outbox", row });
  try {
    // Only this program writes it, perhaps in a later version.
    const fact = JSON.parse(row) as AuditFact;
    return fact.orgId === orgId && typeof fact.subject === "string" ? fact : unreadable();
  } catch {
    return unreadable();
  }
}

/** A fact that waits in the outbox. */
export interface OutboxFactRow {
  readonly org_id: string;
  readonly fact: string;
}

/**
 * The facts of a row of a plan's log; of one that cannot be read, the fact that says so.
 * @param changeOf reads the row.
 */
export function factsOfChange<Row extends LoggedChangeRow>(
  row: Row,
  changeOf: (row: Row) => LoggedChange,
): readonly AuditFact[] {
  try {
    return planFactsOf(changeOf(row));
  } catch (error) {
    if (error instanceof AppError && error.code === "STORE_UNAVAILABLE") throw error;
    const { org_id: orgId, plan_id: subject, sequence, events, origins, call } = row;
    const text = JSON.stringify({ events, origins, call });
    return [unreadableFact({ orgId, subject, source: "plan", sequence, row: text })];
  }
}

/** The hashes of a tile that the tree needs from its edge: those of the incomplete tile of each level. */
export function partialsOf(
  size: number,
  width: number,
  tile: (level: number, index: number) => Uint8Array | undefined,
): readonly Uint8Array[] {
  const partials: Uint8Array[] = [];
  for (let count = size, level = 0; count > 0; count = Math.floor(count / width), level += 1) {
    if (count % width === 0) partials.push(new Uint8Array());
    else {
      const found = tile(level, Math.floor(count / width));
      assert(found !== undefined, "each level has the tile at the edge of the tree");
      partials.push(found);
    }
  }
  return partials;
}
