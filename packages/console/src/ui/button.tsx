import type { ComponentProps } from "react";
import { classNames } from "./class-names.js";

const LOOKS = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong border-transparent",
  secondary: "bg-canvas text-text border-line-strong hover:bg-hover",
  danger: "bg-canvas text-bad border-line-strong hover:bg-bad-soft",
  quiet: "text-muted border-transparent hover:bg-hover hover:text-text",
} as const;

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: keyof typeof LOOKS;
  readonly size?: "normal" | "small";
}

export function Button({ look = "secondary", size = "normal", className, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={classNames(buttonClass(look, size), className)} />
  );
}

/** The look of a button, for links that lead to the next step. */
export function buttonClass(
  look: keyof typeof LOOKS = "secondary",
  size: "normal" | "small" = "normal",
): string {
  return classNames(
    "inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium",
    "transition-colors select-none disabled:opacity-50 disabled:cursor-not-allowed",
    size === "small" ? "h-7 px-2 text-xs" : "h-8 px-3 text-sm",
    LOOKS[look],
  );
}

interface IconButtonProps extends Omit<ButtonProps, "aria-label" | "title"> {
  /** The button's effect, for screen readers and as a tooltip. */
  readonly label: string;
}

export function IconButton({ label, look = "quiet", className, ...rest }: IconButtonProps) {
  return (
    <Button
      {...rest}
      look={look}
      aria-label={label}
      title={label}
      className={classNames("w-8 px-0!", className)}
    />
  );
}
