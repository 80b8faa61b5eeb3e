import type { Duplex } from "node:stream";
import {
  Server,
  ServerCredentials,
  type ConnectionInjector,
  type ServerOptions,
} from "@grpc/grpc-js";
import { NIL_ORG_ID, type Caller } from "../../kernel/caller.js";
import { AppError } from "../../kernel/errors.js";
import { REQUEST_BYTES_MAX } from "../../kernel/limits.js";
import { billingAdminsOnly } from "../billing-admins.js";
import type { Services } from "../services.js";
import { addControlPlane } from "./control-plane.js";
import { addHealth } from "./health.js";
import { addMemoryService } from "./memory-service.js";
import { Methods } from "./methods.js";
import { addReflection } from "./reflection.js";
import { addUsageService } from "./usage-service.js";
import { watchCalls } from "./watched-call.js";

/** How patient a server is with its connections; all in milliseconds. */
export interface GrpcPatience {
  /** For a request to arrive whole. */
  readonly requestTimeoutMs: number;
  /** For a connection without calls. */
  readonly idleTimeoutMs: number;
  /** Between two pings that tell whether the other end is still there. */
  readonly keepaliveMs: number;
  /** For the answer to a ping. */
  readonly keepaliveTimeoutMs: number;
}

const PATIENCE: GrpcPatience = {
  requestTimeoutMs: 15_000,
  idleTimeoutMs: 300_000,
  keepaliveMs: 30_000,
  keepaliveTimeoutMs: 10_000,
};

/** Calls at a time on one connection: more wait in the client. */
const CONCURRENT_CALLS_MAX = 1000;

/**
 * The gRPC side of a listener: the control plane, usage, health and reflection, on connections that somebody
 * else accepts.
 */
export class GrpcServer {
  readonly #server: Server;
  readonly #connections: ConnectionInjector;
  readonly #methods: readonly Methods[];

  constructor(services: Services, patience: GrpcPatience = PATIENCE) {
    this.#server = new Server(serverOptions(services, patience));
    this.#connections = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    const guarded = new Methods(this.#server, services);
    addControlPlane(guarded, services.orchestrator);
    addMemoryService(guarded, services.memory);
    const authenticate = billingAdminsOnly(services.authenticate);
    const billing = new Methods(this.#server, { ...services, authenticate });
    addUsageService(billing, services.usage);
    const open = new Methods(this.#server, { ...services, authenticate: anybody });
    addHealth(open, services.health);
    addReflection(open);
    this.#methods = [guarded, billing, open];
  }

  /** Serves a connection whose other end speaks HTTP/2; TLS, if any, is done. */
  accept(connection: Duplex): void {
    this.#connections.injectConnection(connection);
  }

  /**
   * Takes no new calls, ends the streams so that their clients resume elsewhere, and waits for the
   * calls under way; what is not done after the drain time is cut off.
   */
  async close(drainMs: number): Promise<void> {
    const goingDown = new AppError("STORE_UNAVAILABLE", "The server is shutting down; ask again", {
      retryAfterMs: 1000,
    });
    for (const methods of this.#methods) methods.stopStreams(goingDown);
    const deadline = setTimeout(() => {
      this.#server.forceShutdown();
    }, drainMs);
    await new Promise<void>((resolve) => {
      this.#server.tryShutdown(() => {
        resolve();
      });
    });
    clearTimeout(deadline);
  }
}

function serverOptions(services: Services, patience: GrpcPatience): ServerOptions {
  const { telemetry, clock } = services;
  return {
    // Twice our limit, so that it is our decoder that refuses what is somewhat too large, and says why.
    "grpc.max_receive_message_length": 2 * REQUEST_BYTES_MAX,
    "grpc.max_concurrent_streams": CONCURRENT_CALLS_MAX,
    "grpc.max_connection_idle_ms": patience.idleTimeoutMs,
    "grpc.keepalive_time_ms": patience.keepaliveMs,
    "grpc.keepalive_timeout_ms": patience.keepaliveTimeoutMs,
    // Bookkeeping that nobody reads: there are metrics.
    "grpc.enable_channelz": 0,
    interceptors: [watchCalls({ telemetry, clock, requestTimeoutMs: patience.requestTimeoutMs })],
  };
}

/** Health and the shape of the service are no secrets, and probes have no identity. */
function anybody(): Caller {
  return { orgId: NIL_ORG_ID, roles: [], permissions: [] };
}
