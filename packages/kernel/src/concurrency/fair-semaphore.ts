import { AppError } from "../errors.js";
import { BoundedTurns } from "./bounded-turns.js";
import { FairQueue, slotsPerParty } from "./fair-queue.js";
import { Tally } from "./tally.js";

export interface FairSemaphoreOptions {
  /** Limit of pieces of work that run at once, over all parties. */
  readonly slotsMax: number;
  /** Limit of queued pieces of work per party. */
  readonly waitingMax: number;
  /** How long a piece of work may wait in the queue, in ms. */
  readonly waitMs: number;
  /** What is queued, for error messages: "SPARQL queries". */
  readonly name: string;
}

interface Waiting {
  readonly start: (leave: () => void) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Limits concurrent work and serves parties round-robin. With more than one slot, one party
 * occupies all but one at most, so that its long work does not starve the others.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #waiting: FairQueue<Waiting>;
  readonly #running: Tally;
  /** The time of many that came together is over at once, and each refusal is an answer. */
  readonly #refusals = new BoundedTurns({ startsMax: 16, turnMs: 5 });
  #count = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
    this.#waiting = new FairQueue(options.waitingMax);
    this.#running = new Tally(slotsPerParty(options.slotsMax));
  }

  /**
   * Runs the work when a slot is free and the party is next.
   * @throws AppError `OVERLOADED` when the party's queue is full or the wait exceeded its limit;
   * the work has not started then.
   */
  async run<T>(party: string, work: () => T | Promise<T>): Promise<T> {
    const leave = this.#enter(party) ?? (await this.#turn(party));
    try {
      return await work();
    } finally {
      leave();
      this.#waiting.endTurn(party);
      this.#count -= 1;
      this.#startNext();
    }
  }

  #enter(party: string): (() => void) | undefined {
    if (this.#count >= this.#options.slotsMax) return undefined;
    const leave = this.#running.enter(party);
    if (leave !== undefined) this.#count += 1;
    return leave;
  }

  #turn(party: string): Promise<() => void> {
    const { name, waitingMax, waitMs } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.remove(party, waiting);
        const message = `The server is busy with other ${name}: the request waited ${waitMs} ms and was not started`;
        this.#refusals.enter(
          () => party,
          () => reject(overloaded(message)),
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
    const enter = (party: string): boolean => (leave = this.#enter(party)) !== undefined;
    // Parties that are being served wait for those that are not.
    const next =
      this.#waiting.take((party) => !this.#running.has(party) && enter(party)) ??
      this.#waiting.take(enter);
    if (next === undefined || leave === undefined) return;
    clearTimeout(next.timer);
    next.start(leave);
  }
}

function overloaded(message: string): AppError {
  return new AppError("OVERLOADED", `${message}; try again`, { retryAfterMs: 1000 });
}
