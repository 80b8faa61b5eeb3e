import type { Duplex } from "node:stream";
import { anonymousCaller, type Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { Http2Connections, type Http2Patience } from "../http2/connections.js";
import type { StreamListener } from "../http2/stream-listener.js";
import { PEER_OPEN_STREAMS_MAX } from "../limits.js";
import type { Services } from "../services.js";
import { streamsPerNetwork } from "../stream-limits.js";
import { addApprovalService } from "./approvals/approval-service.js";
import { addCatalogList } from "./catalog-service.js";
import { addControlPlane } from "./control-plane.js";
import { addHealth } from "./discovery/health.js";
import { MethodRegistry } from "./method-registry.js";
import { billingOperations } from "../operations/billing.js";
import { catalogOperations } from "../operations/catalog.js";
import { memoryOperations } from "../operations/memory.js";
import { planChanges, planReads } from "../operations/plans.js";
import { addOperationMethods } from "../operations/wires/grpc-methods.js";
import { usageReports } from "../operations/usage.js";
import { actionOf, shareOf } from "../operations.js";
import { addReflection } from "./discovery/reflection.js";
import { addReportedUsage } from "./usage-service.js";
import { watchCalls } from "./watched-call.js";

/** Time limits of connections and calls, in ms. */
export interface GrpcPatience extends Http2Patience {
  /** Until a request must have arrived completely. */
  readonly requestTimeoutMs: number;
}

export const GRPC_PATIENCE: GrpcPatience = {
  requestTimeoutMs: 15_000,
  idleTimeoutMs: 60_000,
  keepaliveMs: 30_000,
  keepaliveTimeoutMs: 10_000,
  unreadMs: 60_000,
};

/** Options of a gRPC server beside its services. */
export interface GrpcServerOptions {
  readonly patience: GrpcPatience;
  /** Handles the requests on its connections that are not gRPC. */
  readonly otherStreams: StreamListener;
  /** Whether clients can use server reflection. */
  readonly reflection: boolean;
}

/**
 * The gRPC side of a listener: the control plane, approvals, catalog, usage, memory, health and reflection, on
 * connections that the listener accepts.
 */
export class GrpcServer {
  readonly #connections: Http2Connections;
  readonly #methods: readonly MethodRegistry[];

  constructor(services: Services, options: GrpcServerOptions) {
    const { telemetry, clock } = services;
    const { patience, otherStreams, reflection } = options;
    const { requestTimeoutMs } = patience;
    const interceptors = [watchCalls({ telemetry, clock, requestTimeoutMs })];
    this.#connections = new Http2Connections({ patience, otherStreams, interceptors });
    const server = this.#connections.grpc;
    const guarded = new MethodRegistry(server, services, {
      askedBy: (method) => ({ action: actionOf(method), share: shareOf(method) }),
    });
    addControlPlane(guarded, services.orchestrator);
    addApprovalService(guarded, services);
    addCatalogList(guarded, services.catalog);
    addReportedUsage(guarded, services.usage);
    addOperationMethods(guarded, [
      ...planReads(services.orchestrator),
      ...planChanges(services.orchestrator),
      ...catalogOperations(services),
      ...memoryOperations(services),
      ...usageReports(services),
      ...billingOperations(services),
    ]);
    const admitStream = streamsPerNetwork(PEER_OPEN_STREAMS_MAX);
    const open = new MethodRegistry(
      server,
      { ...services, authenticate: anybody },
      { admitStream },
    );
    addHealth(open, services.health);
    if (reflection) addReflection(open);
    this.#methods = [guarded, open];
  }

  /** Serves an HTTP/2 connection; TLS, if any, is already established. */
  accept(connection: Duplex): void {
    this.#connections.accept(connection);
  }

  /**
   * Accepts no new calls, ends the streams so that their clients reconnect elsewhere, and waits for
   * the calls in progress. After the drain time it cuts the rest off.
   */
  async close(drainMs: number): Promise<void> {
    const goingDown = new AppError(
      "STORE_UNAVAILABLE",
      "The server is shutting down; send the request again",
      {
        retryAfterMs: 1000,
      },
    );
    for (const methods of this.#methods) methods.stopStreams(goingDown);
    await this.#connections.close(drainMs);
  }
}

/** Health and the API's description are public, and probes are unauthenticated. */
function anybody(): Promise<Caller> {
  return Promise.resolve(anonymousCaller());
}
