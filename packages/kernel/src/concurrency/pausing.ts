import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../errors.js";

/** Long work as a generator. Each `yield` is a point where the event loop may run other work. */
export type Pausing<T> = Generator<undefined, T>;

/** Runs the work without pausing. @returns its result. */
export function withoutPauses<T>(work: Pausing<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** How long work runs before it yields the event loop, in ms. */
const TURN_MS = 5;

/**
 * Runs the work and yields the event loop at a pause when some milliseconds have passed, so work may
 * pause as often as it likes.
 * @param budgetMs time limit of the work, without its pauses.
 * @param atPause awaited at the beginning and at each such pause; its rejection ends the work.
 * @returns its result. @throws AppError `LIMIT_EXCEEDED` when the work exceeds its time limit; the
 * work has been ended then.
 */
export async function withPauses<T>(
  work: Pausing<T>,
  budgetMs: number = Infinity,
  atPause?: () => Promise<void>,
): Promise<T> {
  let workedMs = 0;
  for (;;) {
    if (atPause !== undefined) await endingOnRefusal(work, atPause);
    const startMs = performance.now();
    let turnMs = 0;
    while (turnMs < TURN_MS) {
      const { done, value } = work.next();
      if (done === true) return value;
      turnMs = performance.now() - startMs;
    }
    workedMs += turnMs;
    if (workedMs > budgetMs) {
      // Thrown inside the generator, so that it closes its resources.
      work.throw(overBudget(budgetMs));
    }
    await nextTurn();
  }
}

async function endingOnRefusal(
  work: Pausing<unknown>,
  atPause: () => Promise<void>,
): Promise<void> {
  try {
    await atPause();
  } catch (refusal) {
    // As above.
    work.throw(refusal);
  }
}

function overBudget(budgetMs: number): AppError {
  const seconds = budgetMs / 1000;
  const message = `The request used more than ${seconds} s of the server's time and was stopped: request less at once`;
  return new AppError("LIMIT_EXCEEDED", message);
}
