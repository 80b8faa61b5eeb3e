import { Children, type ComponentProps, type ReactNode } from "react";

/**
 * Format characters, which nobody sees: bidirectional controls, zero-width spaces, soft hyphens, tags. Joiners are
 * left alone, since emoji and several scripts need them.
 */
const CONTROL = /(?![\u200c\u200d])(\p{Cf})/u;

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
  // Every second part is a control.
  return text.split(CONTROL).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} className="control-mark" data-code={part.codePointAt(0)?.toString(16)}>
        {part}
      </span>
    ),
  );
}

/** A text without such controls, for places that only take plain text, such as the title of a tab. */
export function withoutControls(text: string): string {
  return text.replaceAll(new RegExp(CONTROL, "gu"), "");
}
