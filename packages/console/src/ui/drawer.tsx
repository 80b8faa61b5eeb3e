import { X } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { texts } from "../texts.js";
import { IconButton } from "./button.js";

/**
 * A panel beside the content, which stays usable. On small screens it covers the content. Escape closes
 * it.
 */
export function Drawer(props: {
  readonly label: string;
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { onClose } = props;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    panel.current?.focus();
  }, [props.label]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) onClose();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, [onClose]);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={props.label}
      className="fixed inset-0 z-30 flex min-h-0 flex-col bg-canvas outline-none md:static md:w-[min(38rem,50%)] md:shrink-0 md:border-l"
    >
      <header className="flex items-center gap-2 border-b px-4 py-2">
        <div className="min-w-0 flex-1">{props.title}</div>
        <IconButton label={texts.dialog.close} onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </header>
      <div className="flex min-h-0 flex-1 flex-col">{props.children}</div>
    </aside>
  );
}
