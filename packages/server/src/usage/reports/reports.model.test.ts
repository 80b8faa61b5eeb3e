import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INTENTS } from "../../governance/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { recordToolCalls } from "../../storage/testing/record-tool-calls.js";
import { aauWeight } from "../events/aau.js";
import { formatUsd } from "../money.js";
import { addTotals, NO_USAGE, type UsageTotals } from "../posting.js";
import type { DailyUsage } from "./report.js";
import { admin, operator, ORG, UsageRoom } from "../testing/usage-room.js";

/**
 * The usage service over a real store, compared with a model that keeps every call and price in an
 * array and adds them up for each report.
 */
const START_MS = Date.parse("2026-03-27T00:00:00Z");
const DAYS = 5;
const MINUTE_MS = 60 * 1000;
/** Each run opens a new store and commits durably. */

/** A call in the model. */
interface Call {
  readonly toolName: string;
  readonly intent: string;
  readonly sessionId: string;
  readonly ormModel: string | undefined;
  readonly occurredAtMs: number;
}

interface Price {
  readonly scope: "aau" | "intent" | "model" | "tool";
  readonly subject: string;
  readonly amount: bigint;
  readonly fromMs: number;
  readonly untilMs: number | undefined;
}

type Command =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "report"; readonly id: string; readonly call: Call }
  | { readonly kind: "price"; readonly price: Price }
  | { readonly kind: "reprice"; readonly fromMs: number; readonly untilMs: number };

const TOOLS = ["search", "=sum", "a b"] as const;
const MODELS = ["Order", "total"] as const;
const someTime = fc.integer({ min: 0, max: DAYS * 24 * 60 }).map((m) => START_MS + m * MINUTE_MS);
const someCall: fc.Arbitrary<Call> = fc.record({
  toolName: fc.constantFrom(...TOOLS),
  intent: fc.constantFrom(...INTENTS),
  sessionId: fc.constantFrom("s1", "s 2"),
  ormModel: fc.option(fc.constantFrom(...MODELS), { nil: undefined }),
  occurredAtMs: someTime,
});
const somePrice: fc.Arbitrary<Price> = fc
  .record({
    of: fc.constantFrom(
      ["aau", ""] as const,
      ...INTENTS.map((intent) => ["intent", intent] as const),
      ...MODELS.map((model) => ["model", model] as const),
      ...TOOLS.map((tool) => ["tool", tool] as const),
    ),
    amount: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fromMs: someTime,
    lengthMs: fc.option(
      fc.integer({ min: 1, max: DAYS * 24 }).map((hours) => hours * 60 * MINUTE_MS),
      { nil: undefined },
    ),
  })
  .map(({ of: [scope, subject], amount, fromMs, lengthMs }) => {
    const untilMs = lengthMs === undefined ? undefined : fromMs + lengthMs;
    return { scope, subject, amount, fromMs, untilMs };
  });
const someCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("call" as const), call: someCall }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("report" as const),
      id: fc.constantFrom("1", "2", "3", "4", "5", "6"),
      call: someCall,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("price" as const), price: somePrice }) },
  {
    weight: 2,
    arbitrary: fc.tuple(someTime, someTime).map(([a, b]) => ({
      kind: "reprice" as const,
      fromMs: Math.min(a, b),
      untilMs: Math.max(a, b) + 1,
    })),
  },
);

const QUERIES = [
  {},
  { group_by: "tool" },
  { group_by: "model", from: "2026-03-28", to: "2026-03-30" },
  { tz: "Europe/Berlin", group_by: "session" },
  { tz: "Asia/Kathmandu", group_by: "intent", to: "2026-03-29" },
] as const;

describe("the usage room", () => {
  it("reports what a naive model adds up, to the nanodollar, whatever happened", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someCommand, { maxLength: 30 }), async (commands) => {
        await using room = await UsageRoom.open();
        const model = new Model();
        for (const command of commands) await play(command, room, model);
        for (const query of QUERIES) {
          const { rows } = await room.service.daily(admin(), query);
          expect(rows.map(exact)).toEqual(model.daily(query).map(exact));
        }
        const cells = await room.service.heatMap(admin());
        expect(
          cells.map((cell) => [cell.ormModel, cell.intent, cell.aauWeight, ...figures(cell)]),
        ).toEqual(model.heatMap());
        expect(await room.service.verify(admin(), { repair: false })).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

async function play(command: Command, room: UsageRoom, model: Model): Promise<void> {
  const { service } = room;
  switch (command.kind) {
    case "call": {
      const { occurredAtMs: finishedAtMs, ...call } = command.call;
      await recordToolCalls(room.store.plans, [{ orgId: ORG, ...call, finishedAtMs }]);
      model.add(command.call);
      return;
    }
    case "report": {
      const { id, call } = command;
      const time = new Date(call.occurredAtMs).toISOString();
      const reported = { id, source: "shop", ...call, time };
      const { accepted } = await service.ingest(admin(), [reported, reported]);
      expect(accepted).toBe(model.addReported(id, call) ? 1 : 0);
      return;
    }
    case "price": {
      const { scope, subject, amount, fromMs, untilMs } = command.price;
      const from = new Date(fromMs).toISOString();
      const until = untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() };
      const price = { scope, subject, amount_usd: formatUsd(amount), from, ...until };
      const accepted = await service.setPrice(operator(), price).then(
        () => true,
        (error: unknown) => {
          if (error instanceof AppError && error.code === "INVALID_ARGUMENT") return false;
          throw error;
        },
      );
      expect(accepted).toBe(model.setPrice(command.price));
      return;
    }
    case "reprice": {
      const { fromMs, untilMs } = command;
      const range = {
        from: new Date(fromMs).toISOString(),
        until: new Date(untilMs).toISOString(),
      };
      const { difference } = await service.reprice(operator(), range);
      expect(difference).toBe(model.reprice(fromMs, untilMs));
    }
  }
}

/** Everything that happened, and nothing derived from it but what each call costs now. */
class Model {
  readonly #calls: { readonly call: Call; cost: bigint }[] = [];
  readonly #reported = new Set<string>();
  #prices: readonly Price[] = [];

  add(call: Call): void {
    this.#calls.push({ call, cost: this.#costOf(call) });
  }

  addReported(id: string, call: Call): boolean {
    if (this.#reported.has(id)) return false;
    this.#reported.add(id);
    this.add(call);
    return true;
  }

  setPrice(price: Price): boolean {
    const isOpenBefore = (other: Price): boolean =>
      isSame(other, price) && other.untilMs === undefined && other.fromMs < price.fromMs;
    const ended = this.#prices.map((other) =>
      isOpenBefore(other) ? { ...other, untilMs: price.fromMs } : other,
    );
    const overlaps = ended.some(
      (other) =>
        isSame(other, price) &&
        other.fromMs < (price.untilMs ?? Infinity) &&
        price.fromMs < (other.untilMs ?? Infinity),
    );
    if (!overlaps) this.#prices = [...ended, price];
    return !overlaps;
  }

  reprice(fromMs: number, untilMs: number): bigint {
    let difference = 0n;
    for (const each of this.#calls) {
      if (each.call.occurredAtMs < fromMs || each.call.occurredAtMs >= untilMs) continue;
      const cost = this.#costOf(each.call);
      difference += cost - each.cost;
      each.cost = cost;
    }
    return difference;
  }

  daily(query: { from?: string; to?: string; tz?: string; group_by?: string }): DailyUsage[] {
    const day = new Intl.DateTimeFormat("sv-SE", { timeZone: query.tz ?? "UTC" });
    return this.#sum(({ call }) => {
      const date = day.format(call.occurredAtMs);
      if (date < (query.from ?? "") || date > (query.to ?? "9999")) return undefined;
      return [date, groupOf(call, query.group_by)];
    }).map(([[date = "", group], totals]) => ({
      date,
      group: query.group_by === undefined ? undefined : group,
      ...totals,
    }));
  }

  heatMap(): readonly unknown[] {
    return this.#sum(({ call }) => [call.ormModel ?? "unknown", call.intent]).map(
      ([[model, intent = ""], totals]) => [model, intent, aauWeight(intent), ...figures(totals)],
    );
  }

  #costOf(call: Call): bigint {
    const at = (scope: Price["scope"], subject: string): Price | undefined =>
      this.#prices.find(
        (price) =>
          price.scope === scope &&
          price.subject === subject &&
          price.fromMs <= call.occurredAtMs &&
          call.occurredAtMs < (price.untilMs ?? Infinity),
      );
    const forCall =
      at("tool", call.toolName) ?? at("model", call.ormModel ?? "") ?? at("intent", call.intent);
    return forCall?.amount ?? (at("aau", "")?.amount ?? 0n) * BigInt(aauWeight(call.intent));
  }

  /** Totals by name, in the order of the names. @param nameOf `undefined`: does not count. */
  #sum(
    nameOf: (call: { readonly call: Call }) => readonly string[] | undefined,
  ): readonly (readonly [readonly string[], UsageTotals])[] {
    const sums = new Map<string, readonly [readonly string[], UsageTotals]>();
    for (const { call, cost } of this.#calls) {
      const name = nameOf({ call });
      if (name === undefined) continue;
      const one = { actionCount: 1, totalAau: aauWeight(call.intent), totalCost: cost };
      const key = name.join("\u0000");
      sums.set(key, [name, addTotals(sums.get(key)?.[1] ?? NO_USAGE, one)]);
    }
    return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  }
}

function isSame(a: Price, b: Price): boolean {
  return a.scope === b.scope && a.subject === b.subject;
}

function groupOf(call: Call, groupBy: string | undefined): string {
  if (groupBy === "tool") return call.toolName;
  if (groupBy === "session") return call.sessionId;
  if (groupBy === "intent") return call.intent;
  return groupBy === "model" ? (call.ormModel ?? "unknown") : "";
}

function exact(row: DailyUsage): readonly unknown[] {
  return [row.date, row.group, ...figures(row)];
}

function figures({ actionCount, totalAau, totalCost }: UsageTotals): readonly unknown[] {
  return [actionCount, totalAau, totalCost];
}
