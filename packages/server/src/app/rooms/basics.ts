import { PromTelemetry } from "../../adapters/metrics-prom/index.js";
import { pinoLog } from "../../adapters/log-pino/index.js";
import { systemClock, type Clock } from "@steward/kernel/clock.js";
import { systemIds, type Ids } from "@steward/kernel/ids.js";
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
  return {
    clock,
    ids: own.ids ?? systemIds(clock),
    log: own.log ?? pinoLog(logLevel),
    telemetry: new PromTelemetry(),
  };
}
