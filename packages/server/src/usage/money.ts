/**
 * An amount of money: whole billionths of a US dollar. A bigint, because a double holds them exactly
 * only up to nine million dollars, and a sum that has drifted cannot be argued about.
 */
export type Nanodollars = bigint;

const DECIMALS = 9;
const PER_USD = 10n ** BigInt(DECIMALS);
/** Up to a billion dollars, to the nanodollar. */
const USD = /^(\d{1,10})(?:\.(\d{1,9}))?$/;

/** The amount written as a decimal number of dollars, or `undefined` when it is not exactly one. */
export function parseUsd(text: string): Nanodollars | undefined {
  const match = USD.exec(text);
  if (match === null) return undefined;
  const [, dollars = "0", fraction = ""] = match;
  return BigInt(dollars) * PER_USD + BigInt(fraction.padEnd(DECIMALS, "0"));
}

/** The amount as an exact decimal number of dollars, such as `-0.000000003`. */
export function formatUsd(amount: Nanodollars): string {
  const magnitude = amount < 0n ? -amount : amount;
  const fraction = String(magnitude % PER_USD)
    .padStart(DECIMALS, "0")
    .replace(/0+$/, "");
  const digits = String(magnitude / PER_USD) + (fraction === "" ? "" : `.${fraction}`);
  return amount < 0n ? `-${digits}` : digits;
}

/** The double nearest to the amount in dollars: what `cost_usd` shows (Contract §2.9, §2.11). */
export function usdOf(amount: Nanodollars): number {
  return Number(formatUsd(amount));
}
