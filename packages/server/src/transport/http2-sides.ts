import { GrpcServer, GRPC_PATIENCE, type GrpcPatience } from "./grpc/server.js";
import { Http2Connections } from "./http2/connections.js";
import { refuseGrpc, refuseRest } from "./http2/refusals.js";
import type { StreamListener } from "./http2/stream-listener.js";
import type { ListenOptions } from "./one-port/one-port.js";
import type { Services } from "./services.js";

/** Options for serving gRPC and REST over HTTP/2. */
export interface Http2SidesOptions {
  /** gRPC's own port; absent: gRPC shares the port of REST. */
  readonly grpcPort?: number | undefined;
  readonly patience?: GrpcPatience;
  /** Whether clients can use server reflection. */
  readonly reflection: boolean;
}

/**
 * The handlers of the HTTP/2 connections of each port. One port serves gRPC and REST; with two
 * ports, each refuses the other's requests.
 * @param rest Handles the streams that are not gRPC.
 */
export function http2Sides(
  services: Services,
  rest: StreamListener,
  { grpcPort, patience = GRPC_PATIENCE, reflection }: Http2SidesOptions,
): Pick<ListenOptions, "http2" | "grpc"> {
  if (grpcPort === undefined) {
    return { http2: new GrpcServer(services, { patience, otherStreams: rest, reflection }) };
  }
  return {
    http2: new Http2Connections({ patience, otherStreams: rest, grpcStreams: refuseGrpc }),
    grpc: {
      http2: new GrpcServer(services, { patience, otherStreams: refuseRest, reflection }),
      port: grpcPort,
    },
  };
}
