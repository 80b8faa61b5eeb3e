import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

/** Parts of which one is shown at a time. The arrow keys go from one to the next. */
export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly {
    readonly id: string;
    readonly title: string;
    readonly content: ReactNode;
  }[];
}) {
  return (
    <Radix.Root defaultValue={props.tabs[0]?.id ?? ""} className="flex min-h-0 flex-1 flex-col">
      <Radix.List
        aria-label={props.label}
        className="flex shrink-0 gap-1 overflow-x-auto border-b px-3"
      >
        {props.tabs.map(({ id, title }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="-mb-px h-9 border-b-2 border-transparent px-2 text-sm whitespace-nowrap text-muted hover:text-text focus-visible:outline-offset-[-2px] data-[state=active]:border-accent data-[state=active]:text-text"
          >
            {title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {props.tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className="min-h-0 flex-1 overflow-y-auto p-4">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
