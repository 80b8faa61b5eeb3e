const VIEWS = ["graph", "waterfall", "table", "events"] as const;

/** How a plan is shown, and the step that is open, as its address says it. */
export interface PlanViewSearch {
  readonly view?: (typeof VIEWS)[number];
  readonly step?: string;
}

/** The view of an address, which anybody may have written. */
export function planViewOf({ view, step }: Readonly<Record<string, unknown>>): PlanViewSearch {
  const known = VIEWS.find((each) => each === view);
  return {
    ...(known === undefined ? {} : { view: known }),
    // The router reads an id that looks like a number as a number.
    ...(typeof step === "string" || typeof step === "number" ? { step: String(step) } : {}),
  };
}
