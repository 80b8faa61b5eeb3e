/** Label values of one measurement. The label names of a metric must always be the same. */
export type Labels = Readonly<Record<string, string>>;

/** Receives measurements. Metric names follow Prometheus: prefix `steward_`, unit last. */
export interface Telemetry {
  /** Increments a counter by one. */
  count(name: string, labels?: Labels): void;
  /** Records one observation of a histogram, in the unit that ends its name. */
  observe(name: string, value: number, labels?: Labels): void;
}

export const silentTelemetry: Telemetry = { count: () => undefined, observe: () => undefined };
