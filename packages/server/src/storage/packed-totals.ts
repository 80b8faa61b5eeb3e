import type { GroupTotals } from "../usage/ports.js";

/** Keys, actions, activity units and nanodollars of the totals of a window, each in a list. */
type PackedTotals = readonly [
  readonly string[],
  readonly number[],
  readonly number[],
  readonly string[],
];

/**
 * The totals of a window, from the JSON that the engine made of them. A row for each total would
 * take a multiple of the time to read.
 */
export function unpackedTotals(json: string): readonly GroupTotals[] {
  // The statement makes the four lists.
  const [keys, actions, aau, costs] = JSON.parse(json) as PackedTotals;
  return keys.map((key, index) => ({
    key,
    actionCount: actions[index] ?? 0,
    totalAau: aau[index] ?? 0,
    totalCost: BigInt(costs[index] ?? 0),
  }));
}
