import { memo } from "react";
import { planTexts } from "../texts/plan.js";
import { AgentText } from "../ui/agent-text.js";
import { useRowWindow } from "../ui/row-window.js";
import { Time } from "../ui/time.js";
import type { FeedEvent } from "./plan-feed.js";

/** Height of a row, in pixels. */
const ROW_HEIGHT = 32;
/** Characters of a payload that are drawn. */
const PAYLOAD_LENGTH_MAX = 500;

/** The events of a plan, the newest first; only those that can be seen are in the document. */
export function EventList(props: {
  readonly events: readonly FeedEvent[];
  readonly onOpen: (stepId: string) => void;
}) {
  const { events, onOpen } = props;
  const list = useRowWindow(events.length, ROW_HEIGHT);
  if (events.length === 0)
    return <p className="p-8 text-center text-sm text-muted">{planTexts.noEvents}</p>;
  return (
    <div
      ref={list.scroller}
      className="h-full overflow-y-auto"
      role="region"
      aria-label={planTexts.events}
      tabIndex={0}
    >
      <ol className="relative" style={{ height: list.height }}>
        {list.rows.map((index) => {
          const place = events.length - 1 - index;
          const entry = events[place];
          return (
            entry && (
              <EventRow
                key={entry.event.sequence}
                entry={entry}
                bottom={place * ROW_HEIGHT}
                onOpen={onOpen}
              />
            )
          );
        })}
      </ol>
    </div>
  );
}

/**
 * One event. Its place is counted from the oldest event, at the bottom, so that it stays the same when
 * others arrive, and the row need not be drawn again.
 */
const EventRow = memo(function EventRow(props: {
  readonly entry: FeedEvent;
  /** In pixels. */
  readonly bottom: number;
  readonly onOpen: (stepId: string) => void;
}) {
  const { event, stepId } = props.entry;
  const payload = event.payload_json.slice(0, PAYLOAD_LENGTH_MAX);
  return (
    <li
      className="absolute inset-x-0 grid grid-cols-[3rem_10rem_minmax(0,1fr)] items-center gap-3 border-b px-4 text-xs contain-strict md:grid-cols-[4rem_12rem_10rem_minmax(0,1fr)_7rem] md:px-6"
      style={{ height: ROW_HEIGHT, bottom: props.bottom }}
    >
      <span className="text-right text-muted tabular-nums">{event.sequence}</span>
      <span className="truncate font-medium">{event.event_type}</span>
      <span className="min-w-0 truncate">
        {stepId !== undefined && (
          <button
            type="button"
            className="max-w-full truncate font-mono hover:underline"
            onClick={() => {
              props.onOpen(stepId);
            }}
          >
            <AgentText>{stepId}</AgentText>
          </button>
        )}
      </span>
      <span className="hidden truncate font-mono text-muted md:block" title={payload}>
        <AgentText>{payload}</AgentText>
      </span>
      <span className="hidden text-right text-muted md:block">
        <Time at={event.timestamp} />
      </span>
    </li>
  );
});
