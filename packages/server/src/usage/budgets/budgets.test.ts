import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetLedger, windowOf, type Budget, type Charge } from "./budgets.js";
import { NO_USAGE, type Posting } from "../posting.js";

const NOW_MS = Date.parse("2026-01-31T12:00:00Z");

const budget = (over: Partial<Budget> = {}): Budget => ({
  id: "b",
  scope: "organization",
  unit: "aau",
  period: "day",
  limit: 10n,
  action: "block",
  setBy: "organization",
  ...over,
});

const charge = (over: Partial<Charge> = {}): Charge => ({
  sessionId: "s1",
  aau: 3,
  cost: 0n,
  ...over,
});

const posting = (over: Partial<Posting> = {}): Posting => ({
  orgId: "o",
  sessionId: "s1",
  toolName: "t",
  intent: "write_update",
  aauWeight: 3,
  ormModel: undefined,
  occurredAtMs: NOW_MS,
  actionCount: 1,
  totalAau: 3,
  totalCost: 0n,
  ...over,
});

/** A ledger whose windows are all known to be empty. */
function openLedger(budgets: readonly Budget[], nowMs = NOW_MS, former?: BudgetLedger) {
  const ledger = new BudgetLedger(budgets, former);
  for (const sessionId of ["s1", "s2"]) {
    for (const window of ledger.unknownWindows(charge({ sessionId }), nowMs)) {
      ledger.know(window, NO_USAGE);
    }
  }
  return ledger;
}

describe("a budget", () => {
  it("of 10 AAU admits three of twenty concurrent calls of 3", () => {
    const ledger = openLedger([budget()]);
    const calls = Array.from({ length: 20 }, (_, i) => ledger.reserve(String(i), charge(), NOW_MS));
    expect(calls.filter((admission) => admission.kind === "admitted")).toHaveLength(3);
  });

  it("may be reached and not exceeded", () => {
    const ledger = openLedger([budget({ limit: 3n })]);
    expect(ledger.reserve("a", charge(), NOW_MS).kind).toBe("admitted");
    expect(ledger.reserve("b", charge({ aau: 1 }), NOW_MS).kind).toBe("refused");
  });

  it("gives room back for calls that came to nothing, not for those that were recorded", () => {
    const ledger = openLedger([budget({ limit: 3n })]);
    ledger.reserve("a", charge(), NOW_MS);
    ledger.release("a");
    expect(ledger.reserve("b", charge(), NOW_MS).kind).toBe("admitted");
    ledger.record("b", posting());
    expect(ledger.reserve("c", charge({ aau: 1 }), NOW_MS).kind).toBe("refused");
  });

  it("that only warns admits, and says so", () => {
    const ledger = openLedger([budget({ limit: 2n, action: "warn" })]);
    expect(ledger.reserve("a", charge(), NOW_MS)).toMatchObject({
      kind: "admitted",
      warnings: ["This call ran over the organization's budget of 2 AAU per day, which only warns"],
    });
  });

  it("of a session counts each session for itself", () => {
    const ledger = openLedger([budget({ scope: "session", limit: 3n })]);
    const sessions = ["s1", "s1", "s2"].map(
      (sessionId, i) => ledger.reserve(String(i), charge({ sessionId }), NOW_MS).kind,
    );
    expect(sessions).toEqual(["admitted", "refused", "admitted"]);
  });

  it("in dollars counts nanodollars", () => {
    const ledger = openLedger([budget({ unit: "usd", limit: 5n })]);
    const costs = [3n, 3n, 2n].map(
      (cost, i) => ledger.reserve(String(i), charge({ cost }), NOW_MS).kind,
    );
    expect(costs).toEqual(["admitted", "refused", "admitted"]);
  });

  it("says when to try again: at the end of its period, or soon when only calls are under way", () => {
    const ledger = openLedger([budget({ limit: 3n })]);
    ledger.reserve("a", charge(), NOW_MS);
    expect(ledger.reserve("b", charge(), NOW_MS)).toMatchObject({ retryAfterMs: 1000 });
    ledger.record("a", posting());
    const twelveHoursMs = 12 * 60 * 60 * 1000;
    expect(ledger.reserve("c", charge(), NOW_MS)).toMatchObject({ retryAfterMs: twelveHoursMs });
  });

  it("begins anew with each UTC day or month, or never", () => {
    const windows = (["day", "month", "total"] as const).map((period) => {
      const { fromMs, untilMs } = windowOf(budget({ period }), "s1", NOW_MS);
      return [new Date(fromMs), untilMs === undefined ? undefined : new Date(untilMs)].map((date) =>
        date?.toISOString().slice(0, 10),
      );
    });
    expect(windows).toEqual([
      ["2026-01-31", "2026-02-01"],
      ["2026-01-01", "2026-02-01"],
      ["1970-01-01", undefined],
    ]);
  });

  it("counts a late row in the period in which it occurred", () => {
    const ledger = openLedger([budget({ limit: 3n }), budget({ limit: 6n, period: "month" })]);
    ledger.record("late", posting({ occurredAtMs: NOW_MS - 48 * 60 * 60 * 1000 }));
    expect(ledger.reserve("a", charge(), NOW_MS).kind).toBe("admitted");
    expect(ledger.reserve("b", charge(), NOW_MS)).toMatchObject({
      message: expect.stringContaining("3 AAU per day") as unknown,
    });
  });

  it("keeps the calls under way when budgets change", () => {
    const former = openLedger([]);
    former.reserve("a", charge(), NOW_MS);
    const ledger = openLedger([budget({ limit: 3n })], NOW_MS, former);
    expect(ledger.reserve("b", charge(), NOW_MS).kind).toBe("refused");
  });

  it("is never exceeded, in any interleaving of reserving, releasing and recording", () => {
    const action = fc.record({
      verb: fc.constantFrom("reserve", "release", "record"),
      call: fc.nat(9),
      aau: fc.constantFrom(1, 3, 5),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), fc.bigInt(0n, 20n), (actions, limit) => {
        const ledger = openLedger([budget({ limit })]);
        const underWay = new Map<number, number>();
        let recorded = 0;
        for (const { verb, call, aau } of actions) {
          const reserved = underWay.get(call);
          if (verb === "reserve" && reserved === undefined) {
            const used = recorded + [...underWay.values()].reduce((sum, each) => sum + each, 0);
            const admission = ledger.reserve(String(call), charge({ aau }), NOW_MS);
            // Not too many calls are admitted and, as long as the budget has room, not too few.
            expect(admission.kind === "admitted").toBe(BigInt(used + aau) <= limit);
            if (admission.kind === "admitted") underWay.set(call, aau);
          } else if (verb === "release" && reserved !== undefined) {
            ledger.release(String(call));
            underWay.delete(call);
          } else if (verb === "record" && reserved !== undefined) {
            ledger.record(String(call), posting({ totalAau: reserved }));
            underWay.delete(call);
            recorded += reserved;
          }
        }
      }),
    );
  });
});
