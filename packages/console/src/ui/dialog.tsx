import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";

/** A question in the middle of the page, which Escape answers with no. */
export function Dialog(props: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root
      open={props.open}
      onOpenChange={(open) => {
        if (!open) props.onClose();
      }}
    >
      <Radix.Portal>
        {/* Not Radix's overlay, which inserts a style sheet to keep the page from scrolling. */}
        <div className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-50 w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-xl border bg-canvas p-5 shadow-float"
        >
          <Radix.Title className="text-base font-semibold">{props.title}</Radix.Title>
          {props.hint !== undefined && <p className="mt-1 text-sm text-muted">{props.hint}</p>}
          {props.children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
