import { scaleBand, scaleLinear } from "@visx/scale";
import { usageTexts } from "../texts/usage.js";
import { withoutControls } from "../ui/agent-text.js";
import type { Measure } from "./usage-filters.js";
import type { HeatMatrix } from "./usage-numbers.js";
import { amountText } from "./usage-texts.js";
import { useWidth } from "./use-width.js";

const ROW_HEIGHT = 30;
const HEAD_HEIGHT = 26;
/** Part of the width, at most, that the names of models take. */
const NAMES_PART = 0.35;
const NAMES_WIDTH_MAX = 160;
/** A cell narrower than this, in pixels, shows no number; its tooltip and the table do. */
const NUMBER_WIDTH_MIN = 44;

/** How much was done with each model, by intent: the darker, the more. */
export function HeatMap({ matrix, measure }: { matrix: HeatMatrix; measure: Measure }) {
  const [ref, width] = useWidth();
  const { models, intents } = matrix;
  const names = Math.min(NAMES_WIDTH_MAX, width * NAMES_PART);
  const x = scaleBand({ domain: [...intents], range: [names, width], padding: 0.06 });
  const height = HEAD_HEIGHT + models.length * ROW_HEIGHT;
  const y = scaleBand({ domain: [...models], range: [HEAD_HEIGHT, height], padding: 0.1 });
  const strength = scaleLinear({ domain: [0, Math.max(1, matrix.largest)], range: [0.06, 1] });
  const hasNumbers = x.bandwidth() >= NUMBER_WIDTH_MIN;
  return (
    <div ref={ref} className="w-full">
      <svg width={width} height={height} role="img" aria-label={usageTexts.heatLabel}>
        {hasNumbers &&
          intents.map((intent) => (
            <text
              key={intent}
              x={(x(intent) ?? 0) + x.bandwidth() / 2}
              y={HEAD_HEIGHT - 10}
              textAnchor="middle"
              className="fill-muted text-xs"
            >
              {shortened(intent, x.bandwidth())}
            </text>
          ))}
        {models.map((model) => (
          <g key={model}>
            <text
              x={0}
              y={(y(model) ?? 0) + y.bandwidth() / 2}
              dy="0.35em"
              className="fill-text text-xs"
            >
              {withoutControls(shortened(model, names))}
              <title>{withoutControls(model)}</title>
            </text>
            {intents.map((intent) => {
              const amount = matrix.amountOf(model, intent);
              return (
                <rect
                  key={intent}
                  x={x(intent) ?? 0}
                  y={y(model) ?? 0}
                  width={x.bandwidth()}
                  height={y.bandwidth()}
                  rx={3}
                  className={amount === 0 ? "fill-sunken" : "fill-accent"}
                  fillOpacity={amount === 0 ? 1 : strength(amount)}
                >
                  <title>{`${withoutControls(model)} · ${intent}: ${amountText(amount, measure)}`}</title>
                </rect>
              );
            })}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Pixels of a character in the size of these labels. */
const CHARACTER_WIDTH = 6.5;

function shortened(text: string, width: number): string {
  const fits = Math.max(1, Math.floor(width / CHARACTER_WIDTH));
  return text.length <= fits ? text : `${text.slice(0, Math.max(1, fits - 1))}…`;
}
