import { memoryTexts } from "../texts/memory.js";
import { AgentText } from "../ui/agent-text.js";
import { Time } from "../ui/time.js";

/** Characters of an entry in a list; its own view shows all of them. */
const SHOWN_LENGTH_MAX = 400;
const BAR_WIDTH = 56;
const BAR_HEIGHT = 6;

/** One entry of a list: its beginning, and in a search how near it is. */
export function EntryRow(props: {
  readonly content: string;
  readonly createdAt: string;
  readonly onOpen: () => void;
  readonly detail?: string | undefined;
  /** `part`: from 0 to 1. */
  readonly score?: { readonly part: number; readonly text: string };
}) {
  const { content, createdAt, onOpen, detail, score } = props;
  return (
    <li className="border-b">
      <button
        type="button"
        onClick={onOpen}
        className="flex w-full items-start gap-4 px-4 py-2.5 text-left hover:bg-hover md:px-6"
      >
        {score !== undefined && (
          <span className="flex shrink-0 flex-col gap-1 pt-1 text-xs text-muted tabular-nums">
            <svg
              width={BAR_WIDTH}
              height={BAR_HEIGHT}
              role="img"
              aria-label={memoryTexts.score(score.text)}
              className="rounded bg-sunken"
            >
              <rect
                width={score.part * BAR_WIDTH}
                height={BAR_HEIGHT}
                rx={3}
                className="fill-accent"
              />
            </svg>
            {score.text}
          </span>
        )}
        <span className="min-w-0 flex-1">
          <AgentText className="line-clamp-2 font-mono text-xs break-all">
            {content.slice(0, SHOWN_LENGTH_MAX)}
          </AgentText>
          {detail !== undefined && (
            <AgentText className="mt-0.5 block truncate text-xs text-muted">{detail}</AgentText>
          )}
        </span>
        <span className="shrink-0 text-xs text-muted">
          <Time at={createdAt} />
        </span>
      </button>
    </li>
  );
}
