import { sqlStateOf } from "@steward/postgres";
import { postingOf, PriceList, rollupsOf, usageEventOf } from "../../../usage/index.js";
import type { UsageEvent } from "../../../usage/ports.js";
import { PRICE, pricesOf } from "../../cold/price-book.js";
import { OutcomeUnknown, UNIQUE_VIOLATION, type Connection, type Database } from "../database.js";
import { rowsOn } from "../sql-store.js";
import { acknowledge, readUnread, type UnreadCalls } from "../tool-calls/unread-calls.js";
import { lockLedger } from "./usage-ledger.js";
import { addToTotals, insertEvents, isRecorded } from "./usage-writes.js";

/** Plans of one organization with tool calls that may have no usage row yet. */
export interface PlansWithCalls {
  readonly orgId: string;
  readonly planIds: readonly string[];
}

/** Usage rows that were added, and the plans that were not read to their ends. */
export interface RecordedUsage {
  readonly events: readonly UsageEvent[];
  /** Plans that have to be read again: they have more calls, or another node has recorded these. */
  readonly left: readonly string[];
  /** Why a plan's log cannot be read further, by the plan's id. */
  readonly unreadable: ReadonlyMap<string, Error>;
}

/** Another node has recorded some of the calls first; the transaction is rolled back. */
class Overtaken extends Error {}

/**
 * Creates usage rows from plans' logs. It is used in a thread of its own. Several nodes record at once:
 * when two nodes have read the same calls, the first one to move the position in the plan's log
 * creates the rows.
 */
export class PendingUsage {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @param limit maximum number of tool calls. */
  async record({ orgId, planIds }: PlansWithCalls, limit: number): Promise<RecordedUsage> {
    const { parts, unreadable, isCut } = await readUnread(this.#db, "usage", orgId, planIds, limit);
    const { events, isComplete } = await this.#recordParts(parts);
    const left = isCut || !isComplete ? planIds.filter((planId) => !unreadable.has(planId)) : [];
    return { events, left, unreadable };
  }

  /** @param parts of plans' logs of one organization. @returns whether all of them were left to this node. */
  async #recordParts(
    parts: readonly UnreadCalls[],
  ): Promise<{ readonly events: readonly UsageEvent[]; readonly isComplete: boolean }> {
    let events: readonly UsageEvent[] = [];
    if (parts.length === 0) return { events, isComplete: true };
    const record = (): Promise<boolean> =>
      this.#db.transaction(async (connection) => {
        events = await recordOn(connection, parts);
        // Steps of these plans wait from here on until the end of the transaction.
        const acknowledged = await acknowledge(connection, "usage", parts);
        if (acknowledged.size < parts.length) throw new Overtaken();
        return true;
      });
    const recordRest = (): Promise<boolean> =>
      this.#db.transaction(async (connection) => {
        const acknowledged = await acknowledge(connection, "usage", parts);
        const own = parts.filter(({ ref }) => acknowledged.has(ref.planId));
        events = await recordOn(connection, own, "skipped");
        return acknowledged.size === parts.length;
      });
    try {
      const isComplete = await record().catch((error: unknown) => {
        // `steward copy` leaves the place in a plan's log before a call that could not be read.
        const isRepeated = sqlStateOf(error) === UNIQUE_VIOLATION;
        if (isRepeated || error instanceof Overtaken) return recordRest();
        throw error;
      });
      return { events, isComplete };
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || !(await isRecorded(this.#db, events))) throw error;
      return { events, isComplete: false };
    }
  }
}

/** @param parts of plans' logs of one organization. @returns the new rows of their calls. */
async function recordOn(
  connection: Connection,
  parts: readonly UnreadCalls[],
  repeated?: "skipped",
): Promise<readonly UsageEvent[]> {
  const orgId = parts[0]?.ref.orgId ?? "";
  const calls = parts.flatMap((part) => part.calls);
  if (calls.length === 0) return [];
  await lockLedger(connection, orgId, "SHARE");
  const prices = new PriceList(await rowsOn(connection, pricesOf(orgId), PRICE));
  const read = calls.map((call) => usageEventOf(call, prices));
  const ids = await insertEvents(connection, orgId, read, repeated);
  const events = read.filter(({ id }) => ids.has(id));
  await addToTotals(connection, rollupsOf(events.map(postingOf)));
  await connection.query(
    `DELETE FROM usage_reservations WHERE org_id = $1 AND call_id = ANY ($2::uuid[])`,
    [orgId, events.map(({ id }) => id)],
  );
  return events;
}
