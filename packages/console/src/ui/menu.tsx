import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "./class-names.js";

const ITEM = classNames(
  "flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none select-none",
  "data-highlighted:bg-hover data-disabled:text-muted",
);

/** A button that opens a list of actions. */
export function Menu(props: {
  readonly trigger: ReactNode;
  readonly isOpenFirst?: boolean;
  readonly children: ReactNode;
}) {
  return (
    // A modal menu would insert a style sheet to keep the page from scrolling.
    <DropdownMenu.Root modal={false} defaultOpen={props.isOpenFirst === true}>
      <DropdownMenu.Trigger asChild>{props.trigger}</DropdownMenu.Trigger>
      {/* In the content, so that screen readers find it within a landmark. */}
      <DropdownMenu.Portal container={document.getElementById("content")}>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 max-h-80 min-w-44 overflow-auto rounded-lg border bg-canvas p-1 shadow-float"
        >
          {props.children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export function MenuItem(props: {
  readonly onSelect: () => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <DropdownMenu.Item
      className={ITEM}
      onSelect={props.onSelect}
      disabled={props.disabled === true}
    >
      {props.children}
    </DropdownMenu.Item>
  );
}
