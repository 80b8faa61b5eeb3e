import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { texts } from "../texts.js";
import { Button } from "./button.js";

/** How long the button says that the text was copied, in ms. */
const SHOWN_MS = 1500;

/** Copies a text, which may be made only when it is asked for. */
export function CopyButton(props: {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly iconOnly?: boolean;
}) {
  const [outcome, setOutcome] = useState<"copied" | "failed" | undefined>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = window.setTimeout(() => {
      setOutcome(undefined);
    }, SHOWN_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [outcome]);
  const label = props.label ?? texts.copy.copy;
  const copy = () => {
    const text = typeof props.text === "string" ? props.text : props.text();
    navigator.clipboard.writeText(text).then(
      () => {
        setOutcome("copied");
      },
      () => {
        setOutcome("failed");
      },
    );
  };
  const shown = outcome === undefined ? label : texts.copy[outcome];
  return (
    <Button look="quiet" size="small" onClick={copy} title={shown} aria-label={shown}>
      {outcome === "copied" ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
      {props.iconOnly !== true && <span aria-live="polite">{shown}</span>}
    </Button>
  );
}
