import type { Ids } from "@steward/kernel/ids.js";
import { invalidArgument, parseInstant } from "../instant.js";
import type { Nanodollars } from "../money.js";
import type { Correction, CostedRow, RowRange, UsageLedger, UsageLedgers } from "../ports.js";
import { PriceList } from "./pricing.js";
import { pricedCallOf } from "../events/usage-event.js";

/** The range of rows to reprice, `[from, until)`; dates or RFC 3339. */
export interface RepriceInput {
  readonly from: string;
  readonly until: string;
  /** The organization; absent: the caller's own. */
  readonly org_id?: string | undefined;
}

/** Result of repricing. */
export interface Repriced {
  /** Number of added corrections. */
  readonly corrections: number;
  /** Sum of the corrections. */
  readonly difference: Nanodollars;
}

/** Limit of rows examined and corrected per transaction. */
const PAGE_MAX = 500;

/**
 * Reprices recorded rows by the current price list. Rows are immutable, so the difference is added
 * as a correction. Repeating the operation, also after an interruption, adds nothing more.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export async function reprice(
  ledgers: UsageLedgers,
  orgId: string,
  input: RepriceInput,
  ids: Ids,
  nowMs: number,
): Promise<Repriced> {
  const fromMs = parseInstant("from", input.from);
  const untilMs = parseInstant("until", input.until);
  if (untilMs <= fromMs) throw invalidArgument("until", "must be after from");
  let result: Repriced = { corrections: 0, difference: 0n };
  let range: RowRange = { fromMs, untilMs };
  for (;;) {
    const page = range;
    const { rows, corrections } = await ledgers.exclusively(orgId, (ledger) =>
      correctPage(ledger, orgId, page, (found, prices) => correctionsOf(found, prices, ids, nowMs)),
    );
    result = {
      corrections: result.corrections + corrections.length,
      difference: corrections.reduce((sum, c) => sum + c.adjustment.difference, result.difference),
    };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_MAX) return result;
    range = { fromMs, untilMs, after: last.event };
  }
}

async function correctPage(
  ledger: UsageLedger,
  orgId: string,
  range: RowRange,
  correct: (rows: readonly CostedRow[], prices: PriceList) => readonly Correction[],
): Promise<{ readonly rows: readonly CostedRow[]; readonly corrections: readonly Correction[] }> {
  const rows = await ledger.rowsBetween(orgId, range, PAGE_MAX);
  const corrections = correct(rows, new PriceList(await ledger.prices(orgId)));
  if (corrections.length > 0) await ledger.correct(orgId, corrections);
  return { rows, corrections };
}

/** The corrections that make rows cost what the price list says. */
export function correctionsOf(
  rows: readonly CostedRow[],
  prices: PriceList,
  ids: Ids,
  nowMs: number,
): readonly Correction[] {
  return rows.flatMap(({ event, costNow }) => {
    const { cost, priceId } = prices.priceOf(pricedCallOf(event, event.occurredAtMs));
    const difference = cost - costNow;
    if (difference === 0n) return [];
    const id = ids.uuid();
    return [
      { event, adjustment: { id, eventId: event.id, priceId, difference, createdAtMs: nowMs } },
    ];
  });
}
