import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "./errors.js";

/** Long work that pauses wherever it yields, so that others can have their turn. */
export type Pausing<T> = Generator<undefined, T>;

/** Does the work at once. @returns what it comes to. */
export function withoutPauses<T>(work: Pausing<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** How long work goes on before others have their turn of the event loop, in ms. */
const TURN_MS = 5;

/**
 * Does the work. At a pause others have their turn of the event loop when the work has gone on for some milliseconds:
 * work may pause as often as it likes.
 * @param budgetMs how long it may work, without its pauses.
 * @returns what it comes to. @throws AppError `LIMIT_EXCEEDED` when it takes longer; the work has been ended then.
 */
export async function withPauses<T>(work: Pausing<T>, budgetMs: number = Infinity): Promise<T> {
  let workedMs = 0;
  for (;;) {
    const startMs = performance.now();
    let turnMs = 0;
    while (turnMs < TURN_MS) {
      const { done, value } = work.next();
      if (done === true) return value;
      turnMs = performance.now() - startMs;
    }
    workedMs += turnMs;
    if (workedMs > budgetMs) {
      // Thrown inside the work, so that it closes what it has opened.
      work.throw(overBudget(budgetMs));
    }
    await nextTurn();
  }
}

function overBudget(budgetMs: number): AppError {
  const seconds = budgetMs / 1000;
  const message = `The request took more than ${seconds} s of the server's time and was ended: ask for less at once`;
  return new AppError("LIMIT_EXCEEDED", message);
}
