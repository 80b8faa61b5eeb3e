import { X } from "lucide-react";
import { classNames } from "./class-names.js";

/** A choice of one among several values, each with a button, such as a filter or a form of display. */
export function Choices<Value extends string>(props: {
  readonly label: string;
  readonly values: readonly {
    readonly value: Value;
    readonly text: string;
    readonly key?: string;
  }[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <div
      role="group"
      aria-label={props.label}
      className="flex flex-wrap gap-0.5 rounded-lg bg-sunken p-0.5"
    >
      {props.values.map(({ value, text, key }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.chosen}
          aria-keyshortcuts={key}
          title={key === undefined ? text : `${text} (${key})`}
          onClick={() => {
            props.onChoose(value);
          }}
          className={classNames(
            "h-7 rounded-md px-2.5 text-sm font-medium transition-colors",
            value === props.chosen ? "bg-canvas text-text shadow-sm" : "text-muted hover:text-text",
          )}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** A filter in force, which its button removes. */
export function FilterChip(props: {
  readonly text: string;
  readonly clear: string;
  readonly onClear: () => void;
}) {
  return (
    <span className="inline-flex h-8 max-w-full items-center gap-1 rounded-lg bg-selected pr-1 pl-2.5 text-sm">
      <span className="truncate">{props.text}</span>
      <button
        type="button"
        aria-label={props.clear}
        title={props.clear}
        onClick={props.onClear}
        className="rounded p-1 text-muted hover:text-text"
      >
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}
