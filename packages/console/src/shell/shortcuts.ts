import { useEffect, useRef } from "react";

/** The action of each key; a key is named as in `KeyboardEvent.key`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Calls what belongs to a key, unless somebody is typing a text or a dialog is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const action = latest.current[event.key];
      if (action === undefined || isTyping(event.target)) return;
      event.preventDefault();
      action();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // The events of an editor in a shadow tree seem to come from its host.
  return (
    target.isContentEditable ||
    target.shadowRoot !== null ||
    target.closest("input:not([type=checkbox]),textarea,select,[role=alertdialog],[role=menu]") !==
      null
  );
}
