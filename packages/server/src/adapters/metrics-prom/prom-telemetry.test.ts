import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { METRICS } from "./metrics.js";
import { PromTelemetry } from "./prom-telemetry.js";

describe("PromTelemetry", () => {
  it("renders what was counted and observed", async () => {
    const telemetry = new PromTelemetry();
    const labels = { intent: "read_select", status: "completed" };
    telemetry.count("steward_step_attempts_total", labels);
    telemetry.count("steward_step_attempts_total", labels);
    telemetry.observe("steward_step_duration_seconds", 0.004, labels);
    const page = await telemetry.render();
    expect(page).toContain(
      'steward_step_attempts_total{intent="read_select",status="completed"} 2',
    );
    expect(page).toContain(
      'steward_step_duration_seconds_bucket{le="0.005",intent="read_select",status="completed"} 1',
    );
    expect(telemetry.contentType).toContain("text/plain");
  });

  it("reads a gauge when it is asked, and shows the rest when that fails", async () => {
    const telemetry = new PromTelemetry();
    expect(await telemetry.render()).toContain("steward_memory_waiting_calls 0");
    let waiting = 3;
    telemetry.measure("steward_memory_waiting_calls", () => waiting);
    telemetry.measure("steward_memory_quarantined_vectors", () => Promise.reject(new Error("no")));
    expect(await telemetry.render()).toContain("steward_memory_waiting_calls 3");
    waiting = 4;
    const page = await telemetry.render();
    expect(page).toContain("steward_memory_waiting_calls 4");
    expect(page).toContain("steward_memory_quarantined_vectors Nan");
  });

  it("takes the process' own measurements and the event loop's lag", async () => {
    const page = await new PromTelemetry().render();
    expect(page).toContain("process_resident_memory_bytes");
    expect(page).toContain("nodejs_eventloop_lag_seconds");
  });

  it("keeps instances apart, so that two servers can live in one process", async () => {
    const [first, second] = [new PromTelemetry(), new PromTelemetry()];
    first.count("steward_plans_created_total");
    expect(await second.render()).toContain("steward_plans_created_total 0");
  });

  it("refuses a name or a label nobody declared", () => {
    const telemetry = new PromTelemetry();
    expect(() => telemetry.count("steward_unheard_of_total")).toThrow("assertion failed");
    expect(() => telemetry.observe("steward_plans_created_total", 1)).toThrow("assertion failed");
    expect(() => telemetry.measure("steward_plans_created_total", () => 1)).toThrow("assertion");
    expect(() => telemetry.count("steward_plans_created_total", { user: "u" })).toThrow("label");
  });

  it("declares every metric that the program takes", async () => {
    const root = join(import.meta.dirname, "../..");
    const files = (await readdir(root, { recursive: true })).filter(
      (file) => file.endsWith(".js") && !file.endsWith(".test.js"),
    );
    const sources = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
    const taken = sources
      .flatMap((source) => [...source.matchAll(/\.(?:count|observe|measure)\(\s*"(steward_\w+)"/g)])
      .map(([, name]) => name);
    expect(taken).toContain("steward_plans_created_total");
    const declared = new Set(METRICS.map(({ name }) => name));
    expect(taken.filter((name) => !declared.has(name ?? ""))).toEqual([]);
  });

  it("follows Prometheus' naming rules", () => {
    for (const { kind, name, help } of METRICS) {
      expect(name).toMatch(NAMES[kind]);
      expect(help).not.toBe("");
    }
  });
});

const NAMES = {
  counter: /^steward_[a-z_]+_total$/,
  histogram: /^steward_[a-z_]+_seconds$/,
  gauge: /^steward_[a-z_]+_(calls|items|records|tasks|vectors|ratio)$/,
} as const;
