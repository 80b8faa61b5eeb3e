/** Label values of one measurement; the set of label names of a metric never varies. */
export type Labels = Readonly<Record<string, string>>;

/** Where measurements go. Names are Prometheus names: `steward_` first, the unit last. */
export interface Telemetry {
  /** Adds one to a counter. */
  count(name: string, labels?: Labels): void;
  /** Records one observation of a histogram, in the unit its name ends with. */
  observe(name: string, value: number, labels?: Labels): void;
}

/** Measures nothing. */
export const silentTelemetry: Telemetry = { count: () => undefined, observe: () => undefined };
