import { useSyncExternalStore } from "react";
import { usePreferences } from "../data/preferences.js";
import { texts } from "../texts.js";
import { absoluteTime, relativeDeadline, relativeTime } from "./time-texts.js";

/** How often relative times are counted anew, in ms. */
const TICK_MS = 1000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: number | undefined;

/** A clock that all texts of times share, so that they change at once. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** The time, in ms since the epoch; the component is drawn again when it changes. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/**
 * A moment: how long ago it was, or its date, as preferred; the tooltip has both.
 * @param isDeadline it may be ahead, and then says in how long it is.
 */
export function Time(props: { readonly at: string | undefined; readonly isDeadline?: boolean }) {
  const { at, isDeadline = false } = props;
  const textOf = isDeadline ? relativeDeadline : relativeTime;
  // The text and not the clock, so that it is drawn again only when it changes.
  const relative = useSyncExternalStore(subscribe, () => (at === undefined ? "" : textOf(at, now)));
  const { times } = usePreferences();
  if (at === undefined) return <span className="text-muted">{texts.times.never}</span>;
  const absolute = absoluteTime(at);
  return (
    <time
      dateTime={at}
      title={`${absolute} · ${relative}`}
      className="whitespace-nowrap tabular-nums"
    >
      {times === "absolute" ? absolute : relative}
    </time>
  );
}
