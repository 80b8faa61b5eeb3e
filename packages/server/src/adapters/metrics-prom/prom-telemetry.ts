import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { assert } from "@steward/kernel/assert.js";
import type { Labels, Telemetry } from "../../kernel/telemetry.js";
import { METRICS, type MetricDeclaration } from "./metrics.js";

/**
 * Metrics for Prometheus, including prom-client's own metrics of the process and the event loop. An
 * undeclared metric or label is an assertion failure; see {@link METRICS}.
 */
export class PromTelemetry implements Telemetry {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #gauges = new Map<string, () => number | Promise<number>>();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const declaration of METRICS) this.#declare(declaration);
  }

  count(name: string, labels: Labels = {}): void {
    const counter = this.#counters.get(name);
    assert(counter !== undefined, `the counter ${name} is declared`);
    counter.inc(labels);
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    const histogram = this.#histograms.get(name);
    assert(histogram !== undefined, `the histogram ${name} is declared`);
    histogram.observe(labels, value);
  }

  /**
   * Registers the source of a gauge, which is read whenever the metrics are rendered. The gauge is
   * 0 before, and NaN when reading fails.
   */
  measure(name: string, read: () => number | Promise<number>): void {
    assert(this.#gauges.has(name), `the gauge ${name} is declared`);
    this.#gauges.set(name, read);
  }

  /** The MIME type of the rendered text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  #declare({ kind, name, help, labels, buckets }: MetricDeclaration): void {
    const common = { name, help, labelNames: labels, registers: [this.#registry] };
    switch (kind) {
      case "counter":
        this.#counters.set(name, new Counter(common));
        break;
      case "histogram":
        assert(buckets !== undefined, `the histogram ${name} has buckets`);
        this.#histograms.set(name, new Histogram({ ...common, buckets: [...buckets] }));
        break;
      case "gauge": {
        const gauges = this.#gauges;
        gauges.set(name, () => 0);
        new Gauge({
          ...common,
          async collect() {
            this.set(await readingOf(gauges.get(name)));
          },
        });
        break;
      }
    }
  }
}

/** A failing gauge must not affect the other metrics. */
async function readingOf(read: (() => number | Promise<number>) | undefined): Promise<number> {
  try {
    return (await read?.()) ?? NaN;
  } catch {
    return NaN;
  }
}
