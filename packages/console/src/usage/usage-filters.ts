/** The quantity that the charts show. */
export const MEASURES = ["cost", "aau", "calls"] as const;
export type Measure = (typeof MEASURES)[number];

/** Days that a graph shows. */
export const SPANS = [7, 30, 90] as const;

/** The filters of the page of usage, which its address contains. */
export interface UsageFilters {
  readonly measure?: Measure;
  readonly days?: (typeof SPANS)[number];
  readonly view?: "table";
}

export const MEASURE_DEFAULT = "cost" satisfies Measure;
export const DAYS_DEFAULT = 30 satisfies (typeof SPANS)[number];

/** Reads an address; unknown parameters are ignored. */
export function usageFiltersOf({ measure, days, view }: Record<string, unknown>): UsageFilters {
  const known = MEASURES.find((each) => each === measure);
  const span = SPANS.find((each) => String(each) === String(days));
  return {
    ...(known === undefined ? {} : { measure: known }),
    ...(span === undefined ? {} : { days: span }),
    ...(view === "table" ? { view } : {}),
  };
}
