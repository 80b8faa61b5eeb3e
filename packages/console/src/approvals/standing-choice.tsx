import { approvalTexts } from "../texts/approvals.js";
import { SelectField } from "../ui/field.js";

const [HOUR, DAY] = [3600, 86_400];
/** Offered times, in seconds, as far as policies allow them; their longest one is offered too. */
const OFFERED = [HOUR, 8 * HOUR, DAY, 7 * DAY];

/** How long an approval is to stand for later statements of the same shape; 0: only for this one. */
export function StandingChoice(props: {
  readonly secondsMax: number;
  readonly seconds: number;
  readonly onChoose: (seconds: number) => void;
}) {
  const { secondsMax, seconds, onChoose } = props;
  const offered = [...OFFERED.filter((each) => each < secondsMax), secondsMax];
  return (
    <div className="mb-3">
      <SelectField
        id="standing"
        label={approvalTexts.standing}
        value={String(seconds)}
        options={[0, ...offered].map((each) => ({
          value: String(each),
          text: each === 0 ? approvalTexts.onlyThis : approvalTexts.standsFor(durationOf(each)),
        }))}
        onChoose={(value) => {
          onChoose(Number(value));
        }}
      />
    </div>
  );
}

/** Policies name whole minutes, hours or days. */
function durationOf(seconds: number): string {
  for (const [size, unit] of [
    [DAY, "day"],
    [HOUR, "hour"],
  ] as const) {
    if (seconds % size === 0) return counted(seconds / size, unit);
  }
  return counted(seconds / 60, "minute");
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
