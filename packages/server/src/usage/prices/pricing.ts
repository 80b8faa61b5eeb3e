import { isoTime } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { AauWeight } from "../events/aau.js";
import { invalidArgument } from "../instant.js";
import type { Nanodollars } from "../money.js";

/** What a price applies to, from the least to the most specific. The most specific price wins. */
export const PRICE_SCOPES = ["aau", "intent", "model", "tool"] as const;

export type PriceScope = (typeof PRICE_SCOPES)[number];

/**
 * Limit of prices per organization, including past ones. All of them are loaded whenever a call is
 * priced.
 */
const PRICES_MAX = 10_000;

/** A price of an organization during one period. */
export interface Price {
  /** UUID v4. */
  readonly id: string;
  readonly scope: PriceScope;
  /**
   * The intent, model or tool that the price applies to; empty for `aau`, which applies to
   * everything.
   */
  readonly subject: string;
  /** Per AAU for the scope `aau`, otherwise per call; never negative. */
  readonly amount: Nanodollars;
  /** Start of the period, in ms since the epoch. */
  readonly fromMs: number;
  /** Exclusive end of the period, in ms since the epoch; absent: no end. */
  readonly untilMs: number | undefined;
}

/** The properties of a call that determine its price. */
export interface PricedCall {
  readonly toolName: string;
  readonly intent: string;
  readonly ormModel: string | undefined;
  readonly aauWeight: AauWeight;
  readonly occurredAtMs: number;
}

/** A call's cost and the price applied; no price when none is configured (Contract §4.5 rule 3). */
export interface CallCost {
  readonly cost: Nanodollars;
  readonly priceId: string | undefined;
}

/** The prices of one organization, indexed. */
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

  /** The cost of a call by the most specific price at its time. */
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

/** The change that setting a price makes. */
export interface PriceChange {
  readonly added: Price;
  /** The previous price without an end, which now ends where the new one begins. */
  readonly ended: Price | undefined;
}

/**
 * Adds a price to those of its organization. A price without an end that is in effect now ends
 * where the new one begins. Any other overlap is refused, so that at most one price applies to a
 * subject at any time.
 * @throws AppError `INVALID_ARGUMENT` naming the field; `LIMIT_EXCEEDED`.
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

/** Periods are half open, so the end of one may be the beginning of the next. */
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
