import { usageTexts } from "../texts/usage.js";
import { AgentText } from "../ui/agent-text.js";
import type { Measure } from "./usage-filters.js";
import type { NamedAmount } from "./usage-numbers.js";
import { amountText } from "./usage-texts.js";

/** Names with their amounts, and a bar behind each in proportion. */
export function TopList(props: {
  readonly title: string;
  readonly rows: readonly NamedAmount[];
  readonly measure: Measure;
  readonly unnamed: string;
}) {
  const { title, rows, measure, unnamed } = props;
  const most = Math.max(...rows.map(({ amount }) => amount), 0);
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border p-4">
      <h2 className="text-sm font-medium">{title}</h2>
      {rows.length === 0 && <p className="mt-2 text-sm text-muted">{usageTexts.none}</p>}
      <ul className="mt-2 flex flex-col gap-2">
        {rows.map(({ name, amount }) => (
          <li key={name}>
            <p className="flex items-baseline gap-3 text-sm">
              <AgentText className="min-w-0 flex-1 truncate" title={name}>
                {name === "" ? unnamed : name}
              </AgentText>
              <span className="tabular-nums">{amountText(amount, measure)}</span>
            </p>
            <svg width="100%" height={4} aria-hidden className="mt-0.5 block rounded bg-sunken">
              <rect
                width={`${String((amount / most) * 100)}%`}
                height={4}
                rx={2}
                className="fill-accent"
              />
            </svg>
          </li>
        ))}
      </ul>
    </section>
  );
}
