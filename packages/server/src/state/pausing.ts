import { setImmediate as nextTurn } from "node:timers/promises";

/** Long work that pauses wherever it yields, so that others can have their turn. */
export type Pausing<T> = Generator<undefined, T>;

/** Does the work at once. @returns what it comes to. */
export function withoutPauses<T>(work: Pausing<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Does the work with a turn of the event loop for others at each pause. @returns what it comes to. */
export async function withPauses<T>(work: Pausing<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await nextTurn();
  }
}
