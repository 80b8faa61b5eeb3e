/**
 * An amount of money in billionths of a US dollar. A bigint is exact for every amount, while a
 * double is exact only up to nine million dollars.
 */
export type Nanodollars = bigint;

const DECIMALS = 9;
const PER_USD = 10n ** BigInt(DECIMALS);
/** Up to ten digits of dollars, and up to nine decimal places. */
const USD = /^(\d{1,10})(?:\.(\d{1,9}))?$/;

/** Parses a decimal number of dollars; `undefined` for other texts. */
export function parseUsd(text: string): Nanodollars | undefined {
  const match = USD.exec(text);
  if (match === null) return undefined;
  const [, dollars = "0", fraction = ""] = match;
  return BigInt(dollars) * PER_USD + BigInt(fraction.padEnd(DECIMALS, "0"));
}

/** Formats an amount as an exact decimal number of dollars, such as `-0.000000003`. */
export function formatUsd(amount: Nanodollars): string {
  const magnitude = amount < 0n ? -amount : amount;
  const fraction = String(magnitude % PER_USD)
    .padStart(DECIMALS, "0")
    .replace(/0+$/, "");
  const digits = String(magnitude / PER_USD) + (fraction === "" ? "" : `.${fraction}`);
  return amount < 0n ? `-${digits}` : digits;
}

/** The amount nearest to a double, such as `cost_usd`; exact up to nine million dollars. */
export function nanodollarsOf(usd: number): Nanodollars {
  return BigInt(Math.round(usd * Number(PER_USD)));
}

/** The double nearest to the amount in dollars, for `cost_usd` (Contract §2.9, §2.11). */
export function usdOf(amount: Nanodollars): number {
  return Number(formatUsd(amount));
}
