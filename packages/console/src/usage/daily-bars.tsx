import { AxisBottom, AxisLeft } from "@visx/axis";
import { Group } from "@visx/group";
import { scaleBand, scaleLinear } from "@visx/scale";
import { Bar, Line } from "@visx/shape";
import { usageTexts } from "../texts/usage.js";
import { amountText, dayText } from "./usage-texts.js";
import type { Measure } from "./usage-filters.js";
import type { DayAmount } from "./usage-numbers.js";
import { useWidth } from "./use-width.js";

const HEIGHT = 220;
const MARGIN = { top: 12, right: 8, bottom: 26, left: 56 };
/** Pixels that a label of a day needs. */
const LABEL_WIDTH = 56;

/** One bar for each day, and a line where the budget of a day ends. */
export function DailyBars(props: {
  readonly days: readonly DayAmount[];
  readonly measure: Measure;
  readonly limit: number | undefined;
}) {
  const { days, measure, limit } = props;
  const [ref, width] = useWidth();
  const inner = {
    width: Math.max(0, width - MARGIN.left - MARGIN.right),
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
  };
  const x = scaleBand({
    domain: days.map(({ date }) => date),
    range: [0, inner.width],
    padding: 0.25,
  });
  const most = Math.max(...days.map(({ amount }) => amount), limit ?? 0);
  const y = scaleLinear({
    domain: [0, most === 0 ? 1 : most],
    range: [inner.height, 0],
    nice: true,
  });
  const labels = Math.max(1, Math.floor(inner.width / LABEL_WIDTH));
  const every = Math.ceil(days.length / labels);
  return (
    <div ref={ref} className="w-full">
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={usageTexts.barsLabel(days.length)}
        className="block"
      >
        <Group left={MARGIN.left} top={MARGIN.top}>
          {days.map(({ date, amount }) => (
            <Bar
              key={date}
              x={x(date) ?? 0}
              y={y(amount)}
              width={x.bandwidth()}
              height={inner.height - y(amount)}
              rx={2}
              className="fill-accent"
            >
              <title>{`${dayText(date)}: ${amountText(amount, measure)}`}</title>
            </Bar>
          ))}
          {limit !== undefined && (
            <Line
              from={{ x: 0, y: y(limit) }}
              to={{ x: inner.width, y: y(limit) }}
              className="stroke-bad"
              strokeDasharray="4 3"
            />
          )}
          <AxisLeft
            scale={y}
            numTicks={4}
            hideAxisLine
            hideTicks
            tickFormat={(value) => amountText(Number(value), measure)}
            tickLabelProps={{ className: "fill-muted text-xs", textAnchor: "end", dy: "0.3em" }}
          />
          <AxisBottom
            scale={x}
            top={inner.height}
            hideTicks
            axisLineClassName="stroke-line-strong"
            tickValues={days.filter((_, index) => index % every === 0).map(({ date }) => date)}
            tickFormat={(date) => dayText(date)}
            tickLabelProps={{ className: "fill-muted text-xs", textAnchor: "middle" }}
          />
        </Group>
      </svg>
    </div>
  );
}
