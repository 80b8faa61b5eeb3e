import { usageTexts } from "../texts/usage.js";
import type { Measure } from "./usage-filters.js";

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 2,
});
/** Small amounts need more places: a call costs fractions of a cent. */
const fineDollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** An amount with its unit. */
export function amountText(amount: number, measure: Measure): string {
  switch (measure) {
    case "cost":
      return amount !== 0 && amount < 1 ? fineDollars.format(amount) : dollars.format(amount);
    case "aau":
      return usageTexts.aau(whole.format(amount));
    case "calls":
      return whole.format(amount);
  }
}

/** Such as `11 Mar`. */
export function dayText(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`));
}

/** Such as `March 2026`. */
export function monthText(ms: number): string {
  return month.format(new Date(ms));
}
