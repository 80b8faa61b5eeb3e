import { Children, type ComponentProps, type ReactNode } from "react";

/**
 * Characters that change the order of the text around them, or that nobody sees: bidirectional controls,
 * zero-width spaces, soft hyphens. Zero-width joiners are not among them, since emoji and several scripts
 * need them.
 */
const CONTROL = /([\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff])/;

/**
 * A text that an agent may have written. It cannot reorder the text around it: the element isolates it, and a
 * control that would end the isolation (U+2069) or reorder the text itself is shown as its code.
 */
export function AgentText({ children, ...rest }: ComponentProps<"bdi">) {
  return (
    <bdi {...rest}>
      {Children.map(children, (child) => (typeof child === "string" ? withMarks(child) : child))}
    </bdi>
  );
}

/** A text whose invisible controls are shown as their codes. They stay part of what is copied. */
export function withMarks(text: string): ReactNode {
  if (!CONTROL.test(text)) return text;
  return text.split(CONTROL).map((part, index) =>
    // Every second part is a control. An inline block is a line of its own, beyond which it has no effect.
    index % 2 === 0 ? (
      part
    ) : (
      <span
        key={index}
        data-code={codeOf(part)}
        className="mx-px inline-block rounded bg-warn-soft px-0.5 font-mono text-xs text-warn before:content-[attr(data-code)]"
      >
        {part}
      </span>
    ),
  );
}

/** A text without such controls, for places that only take plain text, such as the title of a tab. */
export function withoutControls(text: string): string {
  return text
    .split(CONTROL)
    .filter((_part, index) => index % 2 === 0)
    .join("");
}

/** Such as `U+202E`. */
function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
