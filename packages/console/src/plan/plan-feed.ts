import type { PlanEvent } from "@steward/client";
import { useEffect, useState, useSyncExternalStore } from "react";
import { client, queries } from "../data/client.js";
import { payloadOf, stepOf, withEvent, type Attempt } from "./attempts.js";

/** Events that arrive within this time are shown together, in ms; a frame of the screen takes 16. */
const GATHER_MS = 50;
/** Events that are taken in at once: what a page can do between two frames. */
const TAKEN_MAX = 1000;
/** Least time between two readings of the plan itself while its events arrive, in ms. */
const READ_MS = 250;
/** Pause before a stream that the client has given up is opened again, in ms. */
const REOPEN_MS = 3000;

/** An event with the step that it is about. */
export interface FeedEvent {
  readonly event: PlanEvent;
  readonly stepId: string | undefined;
}

/**
 * The events of a plan as they arrive, and the attempts that they tell of. It is changed in place: a copy
 * for each of twenty thousand events would take longer than showing them.
 */
export class PlanFeed {
  readonly events: FeedEvent[] = [];
  readonly attempts = new Map<string, readonly Attempt[]>();
  #version = 0;
  readonly #listeners = new Set<() => void>();

  get lastSequence(): number {
    return this.events.at(-1)?.event.sequence ?? 0;
  }

  add(arrived: readonly PlanEvent[]): void {
    for (const event of arrived) {
      const payload = payloadOf(event);
      const stepId = stepOf(payload);
      this.events.push({ event, stepId });
      if (stepId === undefined) continue;
      this.attempts.set(stepId, withEvent(this.attempts.get(stepId) ?? [], event, payload));
    }
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  readonly version = (): number => this.#version;
}

/**
 * Follows a plan's events until it is over. The stream is resumed after the last event when the
 * server was away.
 * @param isOver a plan that is retried is followed again.
 */
export function usePlanFeed(planId: string, isOver: boolean): PlanFeed {
  const [feed, setFeed] = useState(() => ({ planId, feed: new PlanFeed() }));
  if (feed.planId !== planId) setFeed({ planId, feed: new PlanFeed() });
  const current = feed.feed;
  useEffect(() => {
    const stop = new AbortController();
    void follow(planId, current, stop.signal);
    return () => {
      stop.abort();
    };
  }, [planId, current, isOver]);
  useSyncExternalStore(current.subscribe, current.version);
  return current;
}

/** Has the plan read again, once for all events that arrive while it is being read and shortly after. */
function planReader(planId: string): () => void {
  let asked = 0;
  const read = async () => {
    const now = asked;
    await queries.invalidateQueries({ queryKey: ["plans", "plan", planId] });
    await paused(READ_MS);
    if (now === asked) asked = 0;
    else await read();
  };
  return () => {
    asked += 1;
    if (asked === 1) void read();
  };
}

function paused(ms: number): Promise<void> {
  return new Promise((resolve) => {
    window.setTimeout(resolve, ms);
  });
}

async function follow(planId: string, feed: PlanFeed, signal: AbortSignal): Promise<void> {
  let gathered: PlanEvent[] = [];
  let timer: number | undefined;
  const read = planReader(planId);
  const show = () => {
    timer = undefined;
    if (signal.aborted) return;
    feed.add(gathered.slice(0, TAKEN_MAX));
    gathered = gathered.slice(TAKEN_MAX);
    if (gathered.length > 0) timer = window.setTimeout(show, 0);
    read();
  };
  while (!signal.aborted) {
    try {
      const afterSequence = gathered.at(-1)?.sequence ?? feed.lastSequence;
      for await (const event of client.plans.watch(planId, { afterSequence, signal })) {
        gathered.push(event);
        timer ??= window.setTimeout(show, GATHER_MS);
      }
      return;
    } catch {
      // The page shows why the plan itself cannot be read. Its events are requested again after a pause.
      await paused(REOPEN_MS);
    }
  }
}
