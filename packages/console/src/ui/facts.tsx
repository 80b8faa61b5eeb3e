import type { ReactNode } from "react";

/** A list of names and values; a name without a value is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
      {facts
        .filter(([, value]) => value !== undefined && value !== "" && value !== null)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A part of a page with its heading, and what can be done with it. */
export function Section(props: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="mb-6">
      <div className="mb-2 flex min-h-7 items-center gap-2">
        <h3 className="flex-1 text-sm font-medium">{props.title}</h3>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}
