import type { CostedRow, RowRange, UsageStore } from "../../usage/ports.js";

/** The usage rows of an organization in a range, oldest first. */
export function rowsBetween(
  { ledgers }: Pick<UsageStore, "ledgers">,
  orgId: string,
  range: RowRange,
  limit: number,
): Promise<readonly CostedRow[]> {
  return ledgers.exclusively(orgId, (ledger) => ledger.rowsBetween(orgId, range, limit));
}
