const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The ms of a duration in whole minutes, hours or days, such as `30m`, `24h` or `7d`; `undefined` for another text. */
export function durationMs(text: string): number | undefined {
  const [, count = "", unit = ""] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}
