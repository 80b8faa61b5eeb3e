import type { Caller } from "./caller.js";

/**
 * Interval at which a request that lasts is asked about again, in ms. Together with the time for which a server
 * trusts a credential and its policies, a revocation takes effect within a second.
 */
const ASKED_MS = 500;

/** The permission of a request that lasts: it is asked for again while the request is under way. */
export class LastingPermission {
  readonly #caller: Caller;
  readonly #next: LateAct;
  #askedMs = -Infinity;

  /** @param next What the request is about to do each time. */
  constructor(caller: Caller, next: LateAct) {
    this.#caller = caller;
    this.#next = next;
  }

  /**
   * Asks again, unless this was done a moment ago. @throws AppError as when the request began.
   */
  async confirm(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#askedMs < ASKED_MS) return;
    this.#askedMs = nowMs;
    await this.#caller.askAgain?.(this.#caller, this.#next);
  }
}

/**
 * What a request does long after it began: hand out more of an answer, or change something. An access token that has
 * expired in the meantime ends an answer. It does not stop a change, which was requested while the token was valid.
 */
export type LateAct = "handOut" | "change";
