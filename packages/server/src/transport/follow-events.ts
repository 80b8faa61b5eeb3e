import { EVENTS_PAGE_MAX } from "@steward/kernel/limits.js";
import {
  isTerminalEvent,
  type PlanEvent,
  type PlanJournal,
  type QueryRuntimeContext,
} from "../plans/index.js";

/** How often the log is looked at without a wake-up, which is only a hint and may be lost. */
const POLL_MS = 1000;

/**
 * A plan's events with a greater sequence than the cursor, page after page, those to come included
 * (Decision §6). Ends when the newest event is one that ends the plan, and when `ctx.signal` is
 * aborted. A page is read only when the one before has been taken: a slow reader holds one page.
 * @throws AppError `PLAN_NOT_FOUND`; `CURSOR_OUT_OF_RANGE` when the cursor is beyond the log.
 */
export async function* followEvents(
  journal: PlanJournal,
  planId: string,
  afterSequence: number,
  ctx: QueryRuntimeContext,
): AsyncGenerator<readonly PlanEvent[], void, void> {
  const bell = new Bell(ctx.signal);
  // Listening before looking: what is written in between rings.
  const unsubscribe = journal.onPlanEvents(planId, bell.ring);
  try {
    let newest = await eventAtCursor(journal, planId, afterSequence, ctx);
    let cursor = afterSequence;
    while (!ctx.signal.aborted) {
      const page = await journal.readEvents(planId, cursor, EVENTS_PAGE_MAX, ctx);
      newest = page.at(-1) ?? newest;
      if (newest !== undefined) cursor = newest.sequence;
      if (page.length > 0) yield page;
      if (page.length === EVENTS_PAGE_MAX) continue;
      if (newest !== undefined && isTerminalEvent(newest.eventType)) return;
      await bell.rung(POLL_MS);
    }
  } finally {
    unsubscribe();
    bell.stop();
  }
}

/** What a reader who comes back saw last: it may have been the end. */
async function eventAtCursor(
  journal: PlanJournal,
  planId: string,
  sequence: number,
  ctx: QueryRuntimeContext,
): Promise<PlanEvent | undefined> {
  if (sequence === 0) return undefined;
  const [event] = await journal.readEvents(planId, sequence - 1, 1, ctx);
  return event;
}

/** Wakes one waiter; a ring that nobody waits for is kept for the next one. */
class Bell {
  readonly #signal: AbortSignal;
  #rang = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.ring);
  }

  /** Rings the bell. */
  readonly ring = (): void => {
    this.#rang = true;
    this.#wake?.();
  };

  /** Resolves at the next ring, at once if it rang since the last wait, or after this many ms. */
  async rung(timeoutMs: number): Promise<void> {
    if (!this.#rang && !this.#signal.aborted) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#rang = false;
  }

  /** Lets go of the signal. */
  stop(): void {
    this.#signal.removeEventListener("abort", this.ring);
  }
}
