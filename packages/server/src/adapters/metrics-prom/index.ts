/** Measurements for Prometheus to scrape, kept by prom-client. */
export { PromTelemetry } from "./prom-telemetry.js";
