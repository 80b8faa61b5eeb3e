import { setTimeout as delay } from "node:timers/promises";
import {
  ControlPlaneService,
  Health as HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
  UsageService,
  ApprovalService,
  CatalogService,
  MemoryService,
  type HealthCheckResponse,
} from "@steward/protocol/grpc";
import { AppError } from "@steward/kernel/errors.js";
import type { Health } from "../../services.js";
import type { MethodRegistry } from "../method-registry.js";

/** Interval for checking a watched server, in ms. */
const WATCH_MS = 1000;

/** The names that clients can ask about: the server as a whole, and its services. */
const WATCHABLE: ReadonlySet<string> = new Set([
  "",
  ControlPlaneService.typeName,
  UsageService.typeName,
  ApprovalService.typeName,
  CatalogService.typeName,
  MemoryService.typeName,
]);

/** `grpc.health.v1.Health`, with the same result as `/readyz`. */
export function addHealth(methods: MethodRegistry, health: Health): void {
  const { check, watch } = HealthService.method;

  methods.unary(check, async ({ service }) => {
    if (!WATCHABLE.has(service)) throw new AppError("NOT_FOUND", "This server has no such service");
    return healthMessage(await servingStatus(health));
  });

  methods.serverStream(watch, async function* ({ service }, { signal }) {
    const known = WATCHABLE.has(service);
    let told: ServingStatus | undefined;
    while (!signal.aborted) {
      const status = known ? await servingStatus(health) : ServingStatus.SERVICE_UNKNOWN;
      if (status !== told) yield [healthMessage(status)];
      told = status;
      // An abort ends the wait, and with it the loop.
      await delay(WATCH_MS, undefined, { signal }).catch(() => undefined);
    }
  });
}

async function servingStatus(health: Health): Promise<ServingStatus> {
  const { ready } = await health.readiness();
  return ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
}

function healthMessage(status: ServingStatus): HealthCheckResponse {
  return { $typeName: "grpc.health.v1.HealthCheckResponse", status };
}
