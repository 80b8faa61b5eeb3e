import { PromTelemetry } from "../../adapters/metrics-prom/index.js";
import { pinoLog } from "../../adapters/log-pino/index.js";
import { systemClock, type Clock } from "@steward/kernel/clock.js";
import { systemIds, type Ids } from "@steward/kernel/ids.js";
import { failingWork } from "@steward/kernel/concurrency/worker-loop.js";
import type { Log } from "@steward/kernel/log.js";

/** Components that every room uses. */
export interface Basics {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly telemetry: PromTelemetry;
}

/** The components of a server, unless the embedding program provides its own. */
export function basicsOf(
  own: Partial<Pick<Basics, "clock" | "ids" | "log">>,
  logLevel: Parameters<typeof pinoLog>[0],
): Basics {
  const clock = own.clock ?? systemClock;
  const telemetry = new PromTelemetry();
  telemetry.measure("steward_background_failing_tasks", () => {
    return failingWork().filter(({ isFailing }) => isFailing).length;
  });
  telemetry.measure("steward_background_set_aside_items", () =>
    failingWork().reduce((sum, { setAside }) => sum + setAside, 0),
  );
  return {
    clock,
    ids: own.ids ?? systemIds(clock),
    log: own.log ?? pinoLog(logLevel),
    telemetry,
  };
}
