import { LastingPermission } from "@steward/kernel/lasting-permission.js";
import { EVENTS_PAGE_MAX } from "./limits.js";
import {
  isTerminalEvent,
  type PlanEvent,
  type PlanJournal,
  type QueryRuntimeContext,
} from "../plans/index.js";

/** Interval for polling the log, because a wake-up is only a hint and may be lost. */
const POLL_MS = 1000;

/**
 * A plan's events after the cursor, page by page, including future ones (Decision §6). It ends when
 * the newest event ends the plan, or `ctx.signal` is aborted. A page is read only after the
 * consumer has taken the previous one, so a slow reader needs the memory of one page. A page is only
 * given to a caller who may still have it.
 * @throws AppError `PLAN_NOT_FOUND`; `CURSOR_OUT_OF_RANGE` when the cursor is beyond the log; the refusal when the
 * caller's credential has ended, or policies forbid the caller to read plans.
 */
export async function* followEvents(
  journal: PlanJournal,
  planId: string,
  afterSequence: number,
  ctx: QueryRuntimeContext,
): AsyncGenerator<readonly PlanEvent[], void, void> {
  const wakeUp = new WakeUp(ctx.signal);
  // Subscribes before it reads, so that events in between cause a wake-up.
  const unsubscribe = journal.onPlanEvents(planId, wakeUp.notify);
  const permission = new LastingPermission(ctx, "handOut");
  try {
    let newest: PlanEvent | undefined;
    let cursor = afterSequence;
    while (!ctx.signal.aborted) {
      const page = await journal.readEvents(planId, cursor, EVENTS_PAGE_MAX, ctx);
      newest = page.at(-1) ?? newest ?? (await eventAtCursor(journal, planId, cursor, ctx));
      if (newest !== undefined) cursor = newest.sequence;
      if (page.length > 0) {
        await permission.confirm();
        yield page;
      }
      if (page.length === EVENTS_PAGE_MAX) continue;
      if (newest !== undefined && isTerminalEvent(newest.eventType)) return;
      await wakeUp.wait(POLL_MS);
    }
  } finally {
    unsubscribe();
    wakeUp.stop();
  }
}

/** The last event that a reconnecting reader has seen; it may have ended the plan. */
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

/** Wakes one waiter; a wake-up without a waiter is stored for the next wait. */
class WakeUp {
  readonly #signal: AbortSignal;
  #isPending = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.notify);
  }

  /** Wakes the waiter. */
  readonly notify = (): void => {
    this.#isPending = true;
    this.#wake?.();
  };

  /**
   * Resolves at the next wake-up, at once if there was one since the last wait, or after the
   * timeout.
   */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isPending && !this.#signal.aborted) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#isPending = false;
  }

  /** Unsubscribes from the signal. */
  stop(): void {
    this.#signal.removeEventListener("abort", this.notify);
  }
}
