import { AppError } from "./errors.js";
import { FairQueue, turnsOfOneParty } from "./fair-queue.js";
import { Tally } from "./tally.js";

/** How much may run and wait. */
export interface FairTurnsOptions {
  /** Pieces of work that run at once, of all parties together. */
  readonly turnsMax: number;
  /** Pieces of work of one party that may wait. */
  readonly waitingMax: number;
  /** How long one may wait, in ms. */
  readonly waitMs: number;
  /** What waits, for people: "SPARQL queries". */
  readonly name: string;
}

interface Waiting {
  readonly start: (leave: () => void) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Runs a few pieces of work at a time. The others wait, and parties have their turns one after the other. Where
 * several may run, one party has all but one at the most, so that long work of one does not keep the others out.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions;
  readonly #waiting: FairQueue<Waiting>;
  readonly #running: Tally;
  #count = 0;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
    this.#waiting = new FairQueue(options.waitingMax);
    this.#running = new Tally(turnsOfOneParty(options.turnsMax));
  }

  /**
   * Does the work when it is this party's turn.
   * @throws AppError `OVERLOADED` when too many of the party wait, or it waited too long; the work was not begun then.
   */
  async run<T>(party: string, work: () => T | Promise<T>): Promise<T> {
    const leave = this.#enter(party) ?? (await this.#turn(party));
    try {
      return await work();
    } finally {
      leave();
      this.#count -= 1;
      this.#startNext();
    }
  }

  #enter(party: string): (() => void) | undefined {
    if (this.#count >= this.#options.turnsMax) return undefined;
    const leave = this.#running.enter(party);
    if (leave !== undefined) this.#count += 1;
    return leave;
  }

  #turn(party: string): Promise<() => void> {
    const { name, waitingMax, waitMs } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.remove(party, waiting);
        reject(
          overloaded(`The server is busy with other ${name}: after ${waitMs} ms it had not begun`),
        );
      }, waitMs);
      const waiting = { start: resolve, timer };
      if (this.#waiting.push(party, waiting)) return;
      clearTimeout(timer);
      reject(overloaded(`Your organization has ${waitingMax} ${name} waiting`));
    });
  }

  #startNext(): void {
    let leave: (() => void) | undefined;
    const next = this.#waiting.take((party) => (leave = this.#enter(party)) !== undefined);
    if (next === undefined || leave === undefined) return;
    clearTimeout(next.timer);
    next.start(leave);
  }
}

function overloaded(message: string): AppError {
  return new AppError("OVERLOADED", `${message}; ask again`, { retryAfterMs: 1000 });
}
