import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { TurnBudget } from "./turn-budget.js";

it("has no room after its time is used up, and has room again in the next turn", async () => {
  const budget = new TurnBudget(1);
  expect(budget.hasRoom).toBe(true);
  const untilMs = performance.now() + 2;
  expect(
    budget.spend(() => {
      while (performance.now() < untilMs);
      return "done";
    }),
  ).toBe("done");
  await Promise.resolve();
  expect(budget.hasRoom).toBe(false);
  await turn();
  expect(budget.hasRoom).toBe(true);
});
