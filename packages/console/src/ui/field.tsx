import { Search } from "lucide-react";
import type { ComponentProps, Ref } from "react";
import { classNames } from "./class-names.js";

const INPUT = classNames(
  "h-8 w-full rounded-md border border-line-strong bg-canvas px-2.5 text-sm placeholder:text-muted",
  "focus-visible:outline-offset-0",
);

interface FieldProps extends Omit<ComponentProps<"input">, "id"> {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
}

/** An input with its label, and a sentence about it. */
export function Field({ id, label, hint, className, ...rest }: FieldProps) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        {...rest}
        id={id}
        className={classNames(INPUT, className)}
        {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

/** One of several values, of which there may be many. */
export function SelectField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChoose: (value: string) => void;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={props.id} className="text-sm font-medium">
        {props.label}
      </label>
      <select
        id={props.id}
        value={props.value}
        onChange={(event) => {
          props.onChoose(event.target.value);
        }}
        className={INPUT}
      >
        {props.options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface TextAreaProps extends Omit<ComponentProps<"textarea">, "id"> {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
}

/** A field of several lines, for code and pasted text. */
export function TextArea({ id, label, hint, ...rest }: TextAreaProps) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        spellCheck={false}
        {...rest}
        id={id}
        className="w-full rounded-md border border-line-strong bg-canvas p-2.5 font-mono text-xs"
        {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

/** The field that searches a list. */
export function SearchField(props: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly ref?: Ref<HTMLInputElement>;
}) {
  return (
    <div className="relative min-w-40 flex-1">
      <Search
        size={15}
        aria-hidden
        className="pointer-events-none absolute top-2 left-2.5 text-muted"
      />
      <input
        ref={props.ref}
        type="search"
        aria-label={props.label}
        aria-keyshortcuts="/"
        placeholder={props.hint}
        value={props.value}
        onChange={(event) => {
          props.onChange(event.target.value);
        }}
        className={classNames(INPUT, "pl-8!")}
      />
    </div>
  );
}
