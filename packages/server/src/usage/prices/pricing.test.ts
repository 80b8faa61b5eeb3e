import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { PriceList, setPrice, type Price, type PricedCall, type PriceScope } from "./pricing.js";

const price = (over: Partial<Price> = {}): Price => ({
  id: "p",
  scope: "aau",
  subject: "",
  amount: 7n,
  fromMs: 0,
  untilMs: undefined,
  ...over,
});

const call = (over: Partial<PricedCall> = {}): PricedCall => ({
  toolName: "search",
  intent: "read_select",
  ormModel: "Order",
  aauWeight: 3,
  occurredAtMs: 100,
  ...over,
});

describe("a price list", () => {
  it("costs nothing while it is empty", () => {
    expect(new PriceList([]).priceOf(call())).toEqual({ cost: 0n, priceId: undefined });
  });

  it("multiplies the price of an AAU by the weight, and no other", () => {
    expect(new PriceList([price()]).priceOf(call()).cost).toBe(21n);
    const perTool = price({ scope: "tool", subject: "search" });
    expect(new PriceList([perTool]).priceOf(call()).cost).toBe(7n);
  });

  it("lets the most specific price win: tool, then model, then intent, then AAU", () => {
    const prices = [
      price({ id: "aau" }),
      price({ id: "intent", scope: "intent", subject: "read_select" }),
      price({ id: "model", scope: "model", subject: "Order" }),
      price({ id: "tool", scope: "tool", subject: "search" }),
    ];
    const winners: (string | undefined)[] = [];
    for (let left = prices.length; left >= 0; left -= 1) {
      winners.push(new PriceList(prices.slice(0, left)).priceOf(call()).priceId);
    }
    expect(winners).toEqual(["tool", "model", "intent", "aau", undefined]);
  });

  it("applies from the first instant of a period and no longer at its end", () => {
    const list = new PriceList([
      price({ id: "old", fromMs: 100, untilMs: 200 }),
      price({ id: "new", fromMs: 200 }),
    ]);
    const at = [99, 100, 199, 200].map((occurredAtMs) => list.priceOf(call({ occurredAtMs })));
    expect(at.map((cost) => cost.priceId)).toEqual([undefined, "old", "old", "new"]);
  });
});

describe("setting a price", () => {
  it("ends the price that was to apply for good", () => {
    const change = setPrice([price({ id: "old" })], price({ id: "new", fromMs: 500 }));
    expect(change.ended).toEqual(price({ id: "old", untilMs: 500 }));
  });

  it("leaves prices of other subjects alone", () => {
    const other = price({ scope: "tool", subject: "search" });
    expect(setPrice([other], price({ fromMs: 500 })).ended).toBeUndefined();
  });

  it("refuses a period that overlaps another", () => {
    const closed = price({ fromMs: 100, untilMs: 200 });
    expect(() => setPrice([closed], price({ fromMs: 199 }))).toThrow(/from: overlaps the price/);
    expect(() => setPrice([price({ fromMs: 5 })], price({ fromMs: 5 }))).toThrow(/overlaps/);
    expect(() => setPrice([closed], price({ fromMs: 200 }))).not.toThrow();
    expect(() => setPrice([closed], price({ fromMs: 50, untilMs: 100 }))).not.toThrow();
  });

  it("refuses more prices than can be read for each call", () => {
    const many = Array.from({ length: 10_000 }, (_, i) =>
      price({ id: String(i), scope: "tool", subject: `tool ${String(i)}` }),
    );
    expect(() => setPrice(many.slice(1), price({}))).not.toThrow();
    expect(() => setPrice(many, price({}))).toThrow(/at most 10000 prices/);
  });

  it.each([
    ["until", price({ fromMs: 5, untilMs: 5 })],
    ["subject", price({ scope: "tool", subject: "" })],
    ["subject", price({ subject: "search" })],
    ["amount_usd", price({ amount: -1n })],
  ])("refuses what makes no sense, naming %s", (field, wrong) => {
    expect(() => setPrice([], wrong)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        details: [{ field, reason: expect.anything() as unknown }],
      }),
    );
  });

  it("never leads to two prices for one subject at one time", () => {
    const scopes: readonly PriceScope[] = ["aau", "intent"];
    const arbitrary = fc.record({
      scope: fc.constantFrom(...scopes),
      fromMs: fc.nat(50),
      length: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 20 }), (settings) => {
        let prices: readonly Price[] = [];
        for (const [index, { scope, fromMs, length }] of settings.entries()) {
          const untilMs = length === undefined ? undefined : fromMs + length;
          const subject = scope === "aau" ? "" : "admin";
          prices = trySet(prices, {
            id: String(index),
            scope,
            subject,
            amount: 1n,
            fromMs,
            untilMs,
          });
        }
        const doubled = prices.filter((a) =>
          prices.some(
            (b) =>
              a !== b &&
              a.scope === b.scope &&
              a.fromMs < (b.untilMs ?? Infinity) &&
              b.fromMs < (a.untilMs ?? Infinity),
          ),
        );
        expect(doubled).toEqual([]);
      }),
    );
  });
});

function trySet(prices: readonly Price[], added: Price): readonly Price[] {
  try {
    const { ended } = setPrice(prices, added);
    return [...prices.map((p) => (p.id === ended?.id ? ended : p)), added];
  } catch (error) {
    if (error instanceof AppError) return prices;
    throw error;
  }
}
