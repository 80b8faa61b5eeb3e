import { isoTime } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import type { AauWeight } from "./aau.js";
import { invalidArgument } from "./instant.js";
import type { Nanodollars } from "./money.js";

/** What a price is for. The later in this list, the more specific, and the most specific wins. */
export const PRICE_SCOPES = ["aau", "intent", "model", "tool"] as const;

/** One of {@link PRICE_SCOPES}. */
export type PriceScope = (typeof PRICE_SCOPES)[number];

/** Prices of one organization, past ones too: they are read whenever a call is priced. */
const PRICES_MAX = 10_000;

/** What one organization pays for something during one period. */
export interface Price {
  /** UUID v4. */
  readonly id: string;
  readonly scope: PriceScope;
  /** The intent, model or tool it is for; empty for `aau`, which is for everything. */
  readonly subject: string;
  /** For each AAU under `aau`, for each call otherwise; never negative. */
  readonly amount: Nanodollars;
  /** Milliseconds since the epoch: the first instant it applies to. */
  readonly fromMs: number;
  /** The first instant it no longer applies to; absent: for good. */
  readonly untilMs: number | undefined;
}

/** What of a call its price depends on. */
export interface PricedCall {
  readonly toolName: string;
  readonly intent: string;
  readonly ormModel: string | undefined;
  readonly aauWeight: AauWeight;
  readonly occurredAtMs: number;
}

/** What a call costs, and by which price: none where nothing is configured (Contract §4.5 rule 3). */
export interface CallCost {
  readonly cost: Nanodollars;
  readonly priceId: string | undefined;
}

/** The prices of one organization, ready to be asked. */
export class PriceList {
  readonly #bySubject = new Map<string, Price[]>();

  constructor(prices: readonly Price[]) {
    for (const price of prices) {
      const key = keyOf(price.scope, price.subject);
      const same = this.#bySubject.get(key);
      if (same === undefined) this.#bySubject.set(key, [price]);
      else same.push(price);
    }
  }

  /** The cost of a call by the most specific price that applies at its time. */
  priceOf(call: PricedCall): CallCost {
    const price =
      this.#find("tool", call.toolName, call.occurredAtMs) ??
      this.#find("model", call.ormModel ?? "", call.occurredAtMs) ??
      this.#find("intent", call.intent, call.occurredAtMs) ??
      this.#find("aau", "", call.occurredAtMs);
    if (price === undefined) return { cost: 0n, priceId: undefined };
    const units = price.scope === "aau" ? BigInt(call.aauWeight) : 1n;
    return { cost: price.amount * units, priceId: price.id };
  }

  #find(scope: PriceScope, subject: string, atMs: number): Price | undefined {
    return this.#bySubject.get(keyOf(scope, subject))?.find((price) => applies(price, atMs));
  }
}

/** What setting a price changes. */
export interface PriceChange {
  readonly added: Price;
  /** The open price before it, which now ends where the new one begins. */
  readonly ended: Price | undefined;
}

/**
 * Adds a price to the others of its organization. The price that was to apply for good until now
 * ends where the new one begins; any other overlap is refused, so that at each instant there is at
 * most one price for one subject.
 * @throws AppError `INVALID_ARGUMENT` naming the field that is wrong, or `LIMIT_EXCEEDED`.
 */
export function setPrice(prices: readonly Price[], added: Price): PriceChange {
  checkPrice(added);
  if (prices.length >= PRICES_MAX) {
    const message = `An organization can have at most ${String(PRICES_MAX)} prices, past ones included: set prices for whole models or tools instead`;
    throw new AppError("LIMIT_EXCEEDED", message);
  }
  const same = prices.filter(
    (price) => price.scope === added.scope && price.subject === added.subject,
  );
  const open = same.find((price) => price.untilMs === undefined && price.fromMs < added.fromMs);
  const ended = open === undefined ? undefined : { ...open, untilMs: added.fromMs };
  const others = same.filter((price) => price !== open);
  const overlapped = others.find((price) => overlap(price, added));
  if (overlapped !== undefined) {
    throw invalidArgument("from", `overlaps the price that applies ${periodOf(overlapped)}`);
  }
  return { added, ended };
}

function checkPrice(price: Price): void {
  if (price.scope === "aau" && price.subject !== "") {
    throw invalidArgument("subject", "must be empty for the scope aau, which is for every call");
  }
  if (price.scope !== "aau" && price.subject === "") {
    throw invalidArgument("subject", `must name the ${price.scope} that the price is for`);
  }
  if (price.amount < 0n) throw invalidArgument("amount_usd", "must not be negative");
  if (price.untilMs !== undefined && price.untilMs <= price.fromMs) {
    throw invalidArgument("until", "must be after from: the period ends before it begins");
  }
}

/** Periods are half open: the end of one can be the beginning of the next. */
function overlap(a: Price, b: Price): boolean {
  return a.fromMs < (b.untilMs ?? Infinity) && b.fromMs < (a.untilMs ?? Infinity);
}

function applies(price: Price, atMs: number): boolean {
  return price.fromMs <= atMs && atMs < (price.untilMs ?? Infinity);
}

function periodOf(price: Price): string {
  const from = `from ${isoTime(price.fromMs)}`;
  return price.untilMs === undefined ? `${from} on` : `${from} until ${isoTime(price.untilMs)}`;
}

function keyOf(scope: PriceScope, subject: string): string {
  return `${scope}:${subject}`;
}
